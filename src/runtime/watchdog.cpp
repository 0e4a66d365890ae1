// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/watchdog.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace roce::runtime {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds news_after{1};  // no look at the sockets before a wait is this long
constexpr milliseconds news_interval{2};
constexpr milliseconds sleep_after{100};
constexpr std::chrono::microseconds sleep_length{50};
constexpr unsigned yields_per_look = 32;
constexpr milliseconds longest_grace{400};  // for the notices of others when a deadline passes

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string operation_text(const FlatOp& op) {
  switch (op.code) {
    case OpCode::Wait:
    case OpCode::WaitFrom:
      return fmt::format("op {}: wait(slot {})", op.operation, op.slot);
    case OpCode::Put:
      return fmt::format("op {}: put(rank {}, slot {})", op.operation, op.peer, op.slot);
    case OpCode::Flush:
      return fmt::format("op {}: flush(rank {})", op.operation, op.peer);
    case OpCode::Publish:
    case OpCode::Copy:
    case OpCode::Unpack:
    case OpCode::Fold:
      break;
  }
  return fmt::format("op {}", op.operation);
}

/// The two ends of the path, as far as they are known and differ.
std::string path_text(const Failure& failure) {
  if (failure.remote_device.empty() || failure.remote_device == failure.local_device) {
    return failure.local_device;
  }
  return fmt::format("{} to {}", failure.local_device, failure.remote_device);
}

}  // namespace

Watchdog::Watchdog(Bootstrap* bootstrap, int rank, WaitPolicy policy)
    : bootstrap_(bootstrap), rank_(rank), policy_(policy) {}

bool Watchdog::idle(Engine& engine, bool may_block) noexcept {
  if (!healthy()) return false;
  // In a crowd every rank's turn counts: no look at the clock before most of the yields.
  if (policy_.crowded && may_block && !sleeping_ && ++yields_ % yields_per_look != 0 &&
      engine.waits_for_neighbour()) {
    yield(engine);
    return true;
  }
  const auto now = Clock::now();
  if (!waiting_) {
    waiting_ = true;
    wait_began_ = now;
    spinning_ = false;
    next_news_ = now + news_after;
  }
  const auto waited = now - wait_began_;
  if (now >= next_news_) {
    look_for_news(engine);
    next_news_ = now + news_interval;
    if (poison_ != nullptr) return false;
  }
  // A process that was stopped for long finds its deadline passed and what it waited for here.
  if (waited >= policy_.timeout && !engine.unblocked()) {
    time_out(engine);
    return false;
  }
  if (may_block) give_way(engine, now);
  return true;
}

void Watchdog::give_way(Engine& engine, Clock::time_point now) noexcept {
  sleeping_ = now - wait_began_ >= sleep_after;
  if (!spinning_) spin_began_ = now;
  spinning_ = true;
  if (sleeping_) {
    std::this_thread::sleep_for(sleep_length);
    engine.resumed();
  } else if (now - spin_began_ >= policy_.spin ||
             (policy_.crowded && engine.waits_for_neighbour())) {
    yield(engine);
  }
}

void Watchdog::yield(Engine& engine) noexcept {
  sched_yield();
  engine.resumed();
  if (policy_.crowded) spinning_ = false;
}

void Watchdog::look_for_news(Engine& engine) noexcept {
  if (auto broken = engine.failure()) {
    const Failure where = describe(engine);
    broken->schedule = where.schedule;
    broken->operation = where.operation;
    poison(std::move(*broken));
    return;
  }
  if (bootstrap_ == nullptr) return;
  const Engine::Blocked blocked = engine.blocked();
  std::optional<Failure> news;
  bool peer_gone = false;
  {
    const std::scoped_lock lock(mutex_);
    news = bootstrap_->poll_failure();
    peer_gone = blocked.op != nullptr && blocked.op->peer >= 0 && blocked.op->peer != rank_ &&
                bootstrap_->peer_gone(blocked.op->peer);
  }
  if (news && announced(*news)) {
    adopt(engine, std::move(*news));
    return;
  }
  if (peer_gone) peer_died(engine, blocked.op->peer);
}

void Watchdog::peer_died(Engine& engine, int peer) noexcept {
  // Its last puts may have landed between my last poll and the news: only a flag that is still
  // missing now will never come.
  if (engine.unblocked()) return;
  Failure failure = describe(engine);
  failure.code = ErrorCode::PeerFailed;
  failure.message = fmt::format(
      "rank {}: rank {} is gone (its process ended or closed the communicator) while "
      "{} waited for it over {} ({}); look at that rank's own output",
      rank_, peer, failure.schedule, path_text(failure), failure.operation);
  poison(std::move(failure));
}

void Watchdog::adopt(Engine& engine, Failure news) noexcept {
  if (news.code == ErrorCode::Timeout) {
    // I may stand between the reporter and the culprit, so all must learn whom I wait for.
    int peer = -1;
    if (engine.blocked().op != nullptr && !engine.unblocked()) {
      Failure mine = describe(engine);
      mine.code = ErrorCode::Timeout;
      mine.message = timeout_text(engine, mine, mine.culprit);
      peer = mine.culprit;
      tell_peers(mine);
    }
    WaitGraph graph;
    graph.add(news.reporter, news.culprit);
    const int culprit = find_culprit(news.culprit, std::move(graph), peer);
    if (culprit != news.culprit) {
      news.culprit = culprit;
      news.message += fmt::format("; in the end it is rank {} that did not come", culprit);
    }
  }
  poison_ = std::make_shared<const Failure>(std::move(news));
}

void Watchdog::time_out(Engine& engine) noexcept {
  Failure failure = describe(engine);
  failure.code = ErrorCode::Timeout;
  failure.message = timeout_text(engine, failure, failure.culprit);
  tell_peers(failure);
  WaitGraph graph;
  graph.add(rank_, failure.culprit);
  const int culprit = find_culprit(failure.culprit, std::move(graph), -1);
  failure.message = timeout_text(engine, failure, culprit);
  failure.culprit = culprit;
  poison_ = std::make_shared<const Failure>(std::move(failure));
}

std::string Watchdog::timeout_text(const Engine& engine, const Failure& failure,
                                   int culprit) const {
  const int direct = failure.culprit;
  const std::string notes = direct < 0 ? std::string() : engine.describe(direct).notes;
  return fmt::format(
      "rank {} waited {:.1f} s for rank {}{} in {} over {} ({}); check that rank {} is alive and "
      "makes the same calls, or raise ROCE_TIMEOUT{}",
      rank_, seconds(Clock::now() - wait_began_), culprit,
      culprit == direct ? "" : fmt::format(" (through rank {}, which waits too)", direct),
      failure.schedule, path_text(failure), failure.operation, culprit,
      notes.empty() ? "" : "; since the start: " + notes);
}

int Watchdog::find_culprit(int suspect, WaitGraph graph, int peer) noexcept {
  if (bootstrap_ == nullptr) return suspect;
  const auto deadline = Clock::now() + std::min(longest_grace, policy_.timeout / 4);
  const auto ranks = static_cast<std::size_t>(bootstrap_->size());
  while (graph.size() + (peer >= 0 ? 1 : 0) + 1 < ranks && Clock::now() < deadline) {
    std::optional<Failure> notice;
    {
      const std::scoped_lock lock(mutex_);
      notice = bootstrap_->poll_failure();
    }
    const bool news = notice && announced(*notice) && graph.add(notice->reporter, notice->culprit);
    if (!news) std::this_thread::sleep_for(milliseconds(1));
  }
  graph.add(rank_, peer);
  return graph.culprit(suspect);
}

void Watchdog::tell_peers(const Failure& failure) noexcept {
  if (bootstrap_ == nullptr) return;
  const std::scoped_lock lock(mutex_);
  bootstrap_->announce(failure);
}

Failure Watchdog::describe(const Engine& engine) const {
  Failure failure;
  failure.reporter = rank_;
  failure.local_device = engine.transport_name();
  const Engine::Blocked blocked = engine.blocked();
  if (blocked.op != nullptr) {
    failure.culprit = blocked.op->peer;
    if (failure.culprit >= 0 && failure.culprit != rank_) {
      const transport::Path path = engine.describe(failure.culprit);
      failure.local_device = path.local;
      failure.remote_device = path.remote;
    }
    failure.schedule = blocked.lane->name;
    failure.operation =
        fmt::format("{}, segment {} of {}", operation_text(*blocked.op),
                    blocked.epoch - blocked.request->first_epoch + 1, blocked.request->segments);
  }
  return failure;
}

void Watchdog::abort(std::string_view reason) noexcept {
  const std::scoped_lock lock(mutex_);
  if (abort_requested_.load(std::memory_order_relaxed)) return;
  abort_reason_ = reason;
  abort_requested_.store(true, std::memory_order_relaxed);
  if (bootstrap_ == nullptr) return;
  Failure failure;
  failure.code = ErrorCode::Aborted;
  failure.reporter = rank_;
  failure.culprit = rank_;
  failure.message = fmt::format("rank {} aborted the communicator: {}", rank_,
                                reason.empty() ? "no reason given" : reason);
  bootstrap_->announce(failure);
}

void Watchdog::adopt_abort() noexcept {
  const std::scoped_lock lock(mutex_);
  Failure failure;
  failure.code = ErrorCode::Aborted;
  failure.reporter = rank_;
  failure.culprit = rank_;
  failure.message = fmt::format("rank {} aborted the communicator: {}", rank_,
                                abort_reason_.empty() ? "no reason given" : abort_reason_);
  poison_ = std::make_shared<const Failure>(std::move(failure));
}

void Watchdog::poison(Failure failure) noexcept {
  if (poison_ != nullptr) return;
  if (failure.reporter < 0) failure.reporter = rank_;
  tell_peers(failure);
  poison_ = std::make_shared<const Failure>(std::move(failure));
}

}  // namespace roce::runtime

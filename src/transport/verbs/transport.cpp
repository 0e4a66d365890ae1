// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/transport.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "src/transport/verbs/events.hpp"
#include "src/transport/verbs/links.hpp"

namespace roce::transport::verbs {

static_assert(roce::transport::Transport<Transport>);

namespace {

constexpr std::size_t batch = 16;
/// Completions of my own writes are looked at every so many polls: they only make room.
constexpr unsigned polls_between_sends = 16;

bool take_sends(Links& links, Adapter& adapter) noexcept {
  std::array<ibv_wc, batch> done;  // filled as far as it is used
  int count = 0;
  do {
    count = adapter.sends().poll(done);
    for (int i = 0; i < count; ++i) {
      const ibv_wc& completion = done[static_cast<std::size_t>(i)];
      links.connections[Connection::id_of(completion)].complete(completion);
    }
  } while (count == static_cast<int>(batch));
  return count >= 0;
}

}  // namespace

Transport::Transport(std::unique_ptr<Links> links)
    : links_(std::move(links)),
      memory_(links_->memory.data()),
      mode_(links_->mode),
      completed_(links_->completed.data()),
      reported_(links_->connections.size()) {}

Transport::~Transport() { drain(); }

void Transport::drain() noexcept {
  const auto deadline = std::chrono::steady_clock::now() + links_->drain;
  bool all = false;
  while (!all && std::chrono::steady_clock::now() < deadline) {
    all = true;
    for (Connection& connection : links_->connections) {
      all = (connection.broken() || connection.flushed()) && all;
    }
    if (all) return;
    poll_sends();
    std::this_thread::yield();
  }
}

bool Transport::put(int peer, std::size_t flag_offset, const std::byte* source, std::size_t bytes,
                    Flag epoch) noexcept {
  const std::span<Connection> rails = links_->of(peer);
  if (rails.empty()) {
    stranger_ = peer;
    return false;
  }
  const bool immediate = mode_ == FlagMode::Imm;
  const bool halved = rails.size() > 1 && bytes > links_->stripe_above && bytes > striped_limit;
  if (!rails[0].has_room() || (halved && !rails[1].has_room())) {
    poll_sends();
    return false;
  }
  if (rails[0].broken() || (halved && rails[1].broken())) return false;
  if (halved) {
    const auto [first, second] = lay_out_halves(flag_offset, bytes);
    const Flag flag = epoch | halves_mark;
    rails[1].post(first, {source, first.source_bytes, flag, immediate});
    rails[0].post(second, {source + first.source_bytes, second.source_bytes, flag, immediate});
    return true;
  }
  const PutLayout layout = mode_ == FlagMode::Flag
                               ? lay_out_put(flag_offset, bytes, true)
                               : lay_out_put_within(rails[0].path_mtu(), flag_offset, bytes);
  rails[0].post(layout, {source, bytes, epoch, immediate});
  return true;
}

bool Transport::flushed(int peer) noexcept {
  bool all = true;
  for (Connection& rail : links_->of(peer)) all = rail.flushed() && all;
  if (!all) poll_sends();
  return all;
}

void Transport::poll() noexcept {
  if (mode_ == FlagMode::Imm) poll_receives();
  if (++polls_ % polls_between_sends == 0) poll_sends();
}

void Transport::poll_sends() noexcept {
  for (const auto& adapter : links_->adapters) {
    if (!take_sends(*links_, *adapter)) queue_broken_ = true;
  }
}

void Transport::poll_receives() noexcept {
  for (const auto& adapter : links_->adapters) {
    std::array<ibv_wc, batch> done;  // filled as far as it is used
    const int count = adapter->completed_receives().poll(done);
    if (count == 0) continue;
    if (count < 0) {
      queue_broken_ = true;
      continue;
    }
    for (int i = 0; i < count; ++i) {
      const ibv_wc& completion = done[static_cast<std::size_t>(i)];
      if (completion.status == IBV_WC_SUCCESS) {
        believe(ntohl(completion.imm_data));
      } else if (completion.status != IBV_WC_WR_FLUSH_ERR) {
        queue_broken_ = true;
      }
    }
    if (adapter->receives()->post(static_cast<std::size_t>(count)) != 0) queue_broken_ = true;
  }
}

/// Believes the flags that a completed write brought.
void Transport::believe(std::uint32_t immediate) noexcept {
  const Immediate announced = Immediate::decode(immediate);
  for (std::size_t i = 0; i < announced.lines; ++i) {
    const std::size_t line = announced.last_line - i;
    if (line >= links_->completed.size()) return;
    auto* const word = reinterpret_cast<Flag*>(memory_ + (line + 1) * cache_line - sizeof(Flag));
    // Acquire: the payload is read after the flag. The release is the device's, which reports a
    // write only when all of it is placed; taking the completion is a barrier of the library.
    links_->completed[line] = std::atomic_ref<Flag>(*word).load(std::memory_order_acquire);
  }
}

void Transport::clear(std::size_t begin, std::size_t end) noexcept {
  std::memset(memory_ + begin, 0, end - begin);
  if (mode_ != FlagMode::Imm) return;
  const auto line = [this](std::size_t offset) {
    return links_->completed.begin() + static_cast<std::ptrdiff_t>(offset / cache_line);
  };
  std::fill(line(begin), line(end), Flag{0});
}

std::optional<Failure> Transport::failure() noexcept {
  poll_sends();
  for (std::size_t id = 0; id < links_->connections.size(); ++id) {
    const Connection& connection = links_->connections[id];
    if (!connection.broken() || reported_[id]) continue;
    reported_[id] = true;
    std::string loss = explain_loss(connection);
    return failure_of(connection.link(), loss.empty() ? connection.why_broken() : std::move(loss));
  }
  if (std::optional<Failure> event = look_at_events()) return event;
  if (stranger_ >= 0) {
    const LinkText link{links_->rank, std::exchange(stranger_, -1), {}, {}};
    return failure_of(link, fmt::format("rank {} has no verbs connection to rank {}, with which it "
                                        "shares no cable; the schedule does not fit the fabric",
                                        link.rank, link.peer));
  }
  if (std::exchange(queue_broken_, false)) {
    return failure_of({links_->rank, -1, {}, {}},
                      "a completion queue cannot be polled or refilled; check `dmesg` for the RDMA "
                      "device's driver");
  }
  return std::nullopt;
}

std::optional<Failure> Transport::look_at_events() noexcept {
  for (const auto& adapter : links_->adapters) {
    while (const std::optional<Event> event = next_event(adapter->context())) {
      for (const Connection& connection : links_->connections) {
        if (&connection.adapter() != adapter.get()) continue;
        std::string text = explain_event(*event, connection);
        if (!text.empty()) return failure_of(connection.link(), std::move(text));
      }
    }
  }
  return std::nullopt;
}

Failure Transport::failure_of(const LinkText& link, std::string message) {
  return {.code = ErrorCode::Transport,
          .reporter = link.rank,
          .culprit = link.peer,
          .schedule = {},
          .operation = {},
          .local_device = link.local.port,
          .remote_device = link.remote.port,
          .message = std::move(message)};
}

Path Transport::describe(int peer) const {
  Path path;
  for (const Connection& rail : std::as_const(*links_).of(peer)) {
    const LinkText& link = rail.link();
    const char* const separator = path.local.empty() ? "" : "+";
    path.local += separator + link.local.port;
    path.remote += separator + link.remote.port;
    const std::string changes = links_->counters.at(link.local.port).changes();
    if (changes.empty()) continue;
    path.notes += fmt::format("{}{}: {}", path.notes.empty() ? "" : "; ", link.local.port, changes);
  }
  return path;
}

std::size_t Transport::extra_pinned_bytes() const noexcept { return links_->words.size(); }

}  // namespace roce::transport::verbs

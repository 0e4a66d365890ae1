// SPDX-License-Identifier: Apache-2.0
#include "tests/verbs/probe/session.hpp"

#include <fmt/format.h>
#include <sched.h>

#include "src/transport/verbs/rails.hpp"

namespace roce::probe {
namespace {

namespace verbs = transport::verbs;

constexpr std::size_t page = 4096;

/// Bytes of a rank's memory: the transport's control line, slots by sender, signals, staging.
std::size_t slots_begin() { return transport::control_bytes; }
std::size_t slot_size() { return transport::slot_bytes(Session::capacity); }
std::size_t signals_begin(int ranks) {
  return slots_begin() + static_cast<std::size_t>(ranks) * Session::copies * slot_size();
}
std::size_t staging_begin(int ranks) {
  return signals_begin(ranks) + Session::signal_slots * transport::slot_bytes(0);
}
std::size_t memory_bytes(int ranks) {
  return transport::align_up(staging_begin(ranks) + Session::copies * slot_size(), page);
}

}  // namespace

Session::Session()
    : launch_(launch_from_environment()),
      config_(Config::from_environment()),
      bootstrap_(make_tcp_bootstrap(launch_.rendezvous, launch_.rank, launch_.size,
                                    config_.connect_timeout)) {
  const verbs::FoundPorts found = verbs::find_ports(config_);
  const auto gathered = bootstrap_->all_gather(verbs::to_bytes(found.ports));
  if (found.ports.empty()) throw Wrong(verbs::no_ports_text(found));
  for (int rank = 0; rank < size(); ++rank) {
    ports_.push_back(verbs::ports_from_bytes(gathered[static_cast<std::size_t>(rank)], rank));
  }
  for (int peer = 0; peer < size(); ++peer) {
    if (peer != rank() && rails_to(peer) > 0) neighbours_.push_back(peer);
  }
  if (neighbours_.empty()) throw Wrong("this rank shares no cable with another");
}

std::size_t Session::rails_to(int peer) const {
  return verbs::rails(ports_[static_cast<std::size_t>(rank())],
                      ports_[static_cast<std::size_t>(peer)])
      .size();
}

verbs::Transport& Session::connect(FlagMode mode, const std::optional<std::vector<int>>& peers) {
  transport_.reset();
  memory_ = std::make_unique<transport::shm::Memory>(memory_bytes(size()));
  memory_->unlink();
  config_.flag_mode = mode;
  transport_ = verbs::connect(*bootstrap_, config_,
                              {memory_->mapping()->data(), memory_->mapping()->bytes()}, ports_,
                              peers.value_or(neighbours_));
  return *transport_;
}

std::size_t Session::flag_offset(int sender, std::uint64_t epoch) const noexcept {
  const std::size_t slot = static_cast<std::size_t>(sender) * copies + epoch % copies;
  return slots_begin() + (slot + 1) * slot_size() - sizeof(transport::Flag);
}

std::size_t Session::signal_offset(std::size_t slot) const noexcept {
  return signals_begin(size()) + (slot + 1) * transport::slot_bytes(0) - sizeof(transport::Flag);
}

std::byte* Session::staging(std::uint64_t epoch) noexcept {
  return transport_->memory() + staging_begin(size()) + epoch % copies * slot_size();
}

void Session::wait(const char* what, const std::function<bool()>& done) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + config_.timeout;
  auto look = Clock::now() + std::chrono::milliseconds(1);
  for (unsigned i = 0; !done(); ++i) {
    transport_->poll();
    if (i % 64 != 0) continue;
    ::sched_yield();
    const auto now = Clock::now();
    if (now < look) continue;
    look = now + std::chrono::milliseconds(1);
    if (auto failure = transport_->failure()) throw Broken(std::move(*failure));
    // Peers tell what they noticed first.
    if (auto news = hears_peers_ ? bootstrap_->poll_failure() : std::nullopt) {
      throw Broken(std::move(*news));
    }
    if (now > deadline) throw Wrong(fmt::format("rank {} waited too long for {}", rank(), what));
  }
}

void Session::put(int peer, std::size_t flag_offset, const std::byte* source, std::size_t bytes,
                  std::uint64_t epoch) {
  wait("room for a put", [&] { return transport_->put(peer, flag_offset, source, bytes, epoch); });
}

void Session::await(int from, std::size_t flag_offset, std::size_t bytes, std::uint64_t epoch) {
  wait("an arrival", [&] {
    bool all = true;
    for (std::size_t line = 0; line < transport::flagged_lines(bytes); ++line) {
      all &= transport_->arrived(from, flag_offset - line * transport::cache_line, epoch);
    }
    return all;
  });
}

void Session::barrier() { static_cast<void>(bootstrap_->all_gather({})); }

}  // namespace roce::probe

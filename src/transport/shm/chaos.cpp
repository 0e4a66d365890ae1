// SPDX-License-Identifier: Apache-2.0
#include "src/transport/shm/chaos.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace roce::transport::shm {

static_assert(roce::transport::Transport<ChaosTransport>);

namespace {

/// As many puts as a queue pair might hold; beyond it put() says "no room", which tests that path.
constexpr std::size_t queue_limit = 16;

}  // namespace

ChaosTransport::ChaosTransport(int rank, std::vector<std::shared_ptr<Mapping>> mappings,
                               std::uint64_t seed)
    : wire_(rank, std::move(mappings)),
      random_(seed * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(rank)),
      unfinished_(static_cast<std::size_t>(wire_.ranks()), 0) {
  pending_.reserve(queue_limit);
  carrier_ = std::thread([this] { carry(); });
}

ChaosTransport::~ChaosTransport() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  carrier_.join();
}

bool ChaosTransport::put(int peer, std::size_t flag_offset, const std::byte* source,
                         std::size_t bytes, Flag epoch) noexcept {
  const std::scoped_lock lock(mutex_);
  if (pending_.size() == queue_limit) return false;
  pending_.push_back({peer, flag_offset, source, bytes, epoch});
  ++unfinished_[static_cast<std::size_t>(peer)];
  work_.notify_one();
  return true;
}

bool ChaosTransport::flushed(int peer) const noexcept {
  const std::scoped_lock lock(mutex_);
  return unfinished_[static_cast<std::size_t>(peer)] == 0;
}

void ChaosTransport::carry() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
    if (pending_.empty()) return;
    const auto chosen = static_cast<std::ptrdiff_t>(random_() % pending_.size());
    const Put put = pending_[static_cast<std::size_t>(chosen)];
    pending_.erase(pending_.begin() + chosen);
    lock.unlock();
    deliver(put);
    lock.lock();
    --unfinished_[static_cast<std::size_t>(put.peer)];
  }
}

void ChaosTransport::deliver(const Put& put) {
  constexpr std::uint64_t delay_one_in = 4;
  constexpr std::uint64_t longest_delay_us = 60;
  if (random_() % delay_one_in == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % longest_delay_us));
  }
  // Two halves of the source, in either order, are read at different times.
  packet_.resize(std::max(packet_.size(), put.bytes));
  const std::size_t half = put.bytes / 2;
  const bool tail_first = (random_() & 1U) != 0;
  const auto read = [&](std::size_t begin, std::size_t end) {
    std::copy(put.source + begin, put.source + end,
              packet_.begin() + static_cast<std::ptrdiff_t>(begin));
  };
  if (tail_first) {
    read(half, put.bytes);
    std::this_thread::yield();
    read(0, half);
  } else {
    read(0, half);
    std::this_thread::yield();
    read(half, put.bytes);
  }
  wire_.put(put.peer, put.flag_offset, packet_.data(), put.bytes, put.epoch);
}

}  // namespace roce::transport::shm

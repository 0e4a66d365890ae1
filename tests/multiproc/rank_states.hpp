// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "roce/roce.hpp"
#include "tests/multiproc/rank_group.hpp"

namespace roce::tests {

using Clock = std::chrono::steady_clock;

/// Text of bounded length that processes can share.
template <std::size_t Size>
class SharedText {
 public:
  void assign(std::string_view text) {
    const std::size_t length = std::min(text.size(), Size - 1);
    std::copy_n(text.begin(), length, bytes_.begin());
    bytes_[length] = '\0';
  }
  [[nodiscard]] std::string str() const {
    return {bytes_.begin(), std::find(bytes_.begin(), bytes_.end(), '\0')};
  }

 private:
  std::array<char, Size> bytes_{};
};

/// How far a rank has come and how it failed. Everything but the atomics is written before `ended`.
struct RankState {
  std::atomic<int> rounds{0};
  std::atomic<bool> ended{false};
  ErrorCode code = ErrorCode::Ok;
  int culprit = -1;
  Clock::time_point ended_at;  ///< the monotonic clock is the same in all processes
  SharedText<1024> message;
  SharedText<64> schedule;
  SharedText<128> operation;

  void note(const Status& status) {
    ended_at = Clock::now();
    code = status.code();
    message.assign(status.message());
    if (const Failure* failure = status.failure()) {
      culprit = failure->culprit;
      schedule.assign(failure->schedule);
      operation.assign(failure->operation);
    }
    ended.store(true, std::memory_order_release);
  }
  /// For Catch's messages.
  [[nodiscard]] std::string text() const {
    return fmt::format("{} rounds, {} {}, culprit {}: {}", rounds.load(), ended ? "ended" : "runs",
                       static_cast<int>(code), culprit, message.str());
  }
};

/// The states of all ranks, in memory that forked processes share with their parent.
class RankStates {
 public:
  explicit RankStates(int ranks) : bytes_(sizeof(RankState) * static_cast<std::size_t>(ranks)) {
    void* const memory =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap of the ranks' states");
    states_ = static_cast<RankState*>(memory);
    std::uninitialized_default_construct_n(states_, ranks);
    count_ = static_cast<std::size_t>(ranks);
  }
  ~RankStates() { ::munmap(states_, bytes_); }
  RankStates(const RankStates&) = delete;
  RankStates& operator=(const RankStates&) = delete;

  RankState& operator[](int rank) { return states_[rank]; }
  [[nodiscard]] int size() const { return static_cast<int>(count_); }

 private:
  std::size_t bytes_;
  std::size_t count_ = 0;
  RankState* states_ = nullptr;
};

/// False when that does not come about within 20 s.
inline bool eventually(const std::function<bool()>& holds) {
  const auto deadline = Clock::now() + std::chrono::seconds(20);
  while (!holds()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// True once every rank but `except` has finished `rounds`.
inline bool all_reach(RankStates& states, int rounds, int except = -1) {
  return eventually([&] {
    for (int rank = 0; rank < states.size(); ++rank) {
      if (rank != except && states[rank].rounds < rounds) return false;
    }
    return true;
  });
}

inline bool all_end(RankStates& states, int except = -1) {
  return eventually([&] {
    for (int rank = 0; rank < states.size(); ++rank) {
      if (rank != except && !states[rank].ended) return false;
    }
    return true;
  });
}

/// An operation that every rank repeats.
struct Repeated {
  CollectiveSpec spec;
  std::vector<float> in;
  std::vector<float> out;

  Repeated(Collective collective, std::string schedule, int ranks, std::size_t count = 999)
      : in(count * static_cast<std::size_t>(ranks), 1.0F), out(in.size()) {
    spec.collective = collective;
    spec.count = collective == Collective::Barrier ? 0 : count;
    spec.schedule = std::move(schedule);
  }
  /// Runs until `rounds` are done or one fails, and notes it.
  void run(Communicator& communicator, RankState& state, int rounds) {
    Plan plan = communicator.plan(spec);
    Status status;
    while (status.ok() && state.rounds < rounds) {
      status = plan.run(in.data(), out.data());
      if (status.ok()) ++state.rounds;
    }
    state.note(status);
  }
};

inline constexpr int endless = 1 << 30;

}  // namespace roce::tests

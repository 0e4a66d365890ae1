// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "roce/bootstrap.hpp"
#include "roce/status.hpp"
#include "src/runtime/engine.hpp"
#include "src/runtime/wait_graph.hpp"

namespace roce::runtime {

/// How a rank waits.
struct WaitPolicy {
  std::chrono::milliseconds timeout{60'000};
  std::chrono::microseconds spin{100};  ///< before it yields the processor
  unsigned polls = 256;                 ///< of a flag between two looks at the clock
  /// More ranks than processors: yield at once when a rank that is waited for needs this processor,
  /// and spin anew after each time.
  bool crowded = false;
};

/// Watches over waits: gives way to others, notices that a deadline has passed, that a peer has
/// died or reported a failure, or that somebody aborted; and keeps the failure that poisons the
/// communicator. One thread, except abort().
class Watchdog {
 public:
  /// `bootstrap` may be null for a single rank, and must outlive the watchdog.
  Watchdog(Bootstrap* bootstrap, int rank, WaitPolicy policy);

  /// Something moved: the next wait starts anew.
  void moved() noexcept {
    waiting_ = false;
    sleeping_ = false;
  }
  /// To be called whenever nothing moved. Gives way to other threads when `may_block`. False once
  /// the communicator is poisoned.
  bool idle(Engine& engine, bool may_block) noexcept;
  /// Cheap look for an abort; false once the communicator is poisoned.
  [[nodiscard]] bool healthy() noexcept {
    // Relaxed: the reason is read under the mutex.
    if (abort_requested_.load(std::memory_order_relaxed) && poison_ == nullptr) adopt_abort();
    return poison_ == nullptr;
  }
  /// Ok, or what poisoned the communicator, an abort that nobody has noticed yet included.
  [[nodiscard]] Status current() noexcept { return healthy() ? Status() : status(); }
  /// Ok, or what is known to have poisoned the communicator.
  [[nodiscard]] Status status() const noexcept { return poison_ ? Status(poison_) : Status(); }
  /// Thread-safe.
  void abort(std::string_view reason) noexcept;
  /// Poisons with a failure found elsewhere and tells the peers.
  void poison(Failure failure) noexcept;
  [[nodiscard]] const WaitPolicy& policy() const noexcept { return policy_; }

 private:
  using Clock = std::chrono::steady_clock;
  void yield(Engine& engine) noexcept;
  void give_way(Engine& engine, Clock::time_point now) noexcept;
  void look_for_news(Engine& engine) noexcept;
  void time_out(Engine& engine) noexcept;
  void adopt(Engine& engine, Failure news) noexcept;
  void peer_died(Engine& engine, int peer) noexcept;
  void adopt_abort() noexcept;
  [[nodiscard]] Failure describe(const Engine& engine) const;
  [[nodiscard]] std::string timeout_text(const Engine& engine, const Failure& failure,
                                         int culprit) const;
  void tell_peers(const Failure& failure) noexcept;
  /// True for a failure that a peer announced, false for what the bootstrap itself found.
  [[nodiscard]] bool announced(const Failure& failure) const noexcept {
    return failure.reporter >= 0 && failure.reporter != rank_;
  }
  /// Collects peers' notices for a moment, then follows them from `suspect` to the rank that all
  /// wait for in the end. `peer` is whom this rank waits for, or -1 where the graph has it.
  int find_culprit(int suspect, WaitGraph graph, int peer) noexcept;

  Bootstrap* bootstrap_;
  int rank_;
  WaitPolicy policy_;
  bool waiting_ = false;
  bool spinning_ = false;  ///< since spin_began_
  bool sleeping_ = false;  ///< the wait is so long that it sleeps between looks
  unsigned yields_ = 0;
  Clock::time_point wait_began_;
  Clock::time_point spin_began_;
  Clock::time_point next_news_;
  std::shared_ptr<const Failure> poison_;
  std::atomic<bool> abort_requested_{false};
  std::mutex mutex_;  ///< guards the bootstrap and the reason; never taken while all goes well
  std::string abort_reason_;
};

}  // namespace roce::runtime

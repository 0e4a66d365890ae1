// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "roce/communicator.hpp"
#include "src/runtime/engine.hpp"
#include "src/runtime/lane_table.hpp"
#include "src/runtime/plan_cache.hpp"
#include "src/runtime/watchdog.hpp"
#include "topology/fabric.hpp"

namespace roce {

/// The state behind a Communicator. Plans point to it, so it never moves.
class Communicator::Impl {
 public:
  Impl(std::unique_ptr<Bootstrap> bootstrap, Config config);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] const Config& config() const noexcept { return config_; }
  [[nodiscard]] std::size_t pinned_bytes() const noexcept { return pinned_bytes_; }
  [[nodiscard]] runtime::Engine& engine() noexcept { return *engine_; }
  [[nodiscard]] runtime::Watchdog& watchdog() noexcept { return *watchdog_; }
  [[nodiscard]] const runtime::LaneTable& lanes() const noexcept { return *lanes_; }

  /// The schedule for a plan, by name or by size. Throws Error.
  [[nodiscard]] schedule::VerifiedSchedule choose(const CollectiveSpec& spec) const;
  /// The schedule's lane. May finish everything in flight and synchronise all ranks, when the slot
  /// memory is used up. Throws Error.
  [[nodiscard]] runtime::Lane& lane(const schedule::VerifiedSchedule& schedule);
  /// Ok when the arguments make sense, else InvalidArgument.
  [[nodiscard]] Status validate(const CollectiveSpec& spec) const noexcept;
  /// The blocking form: through the plan cache.
  Status run(const CollectiveSpec& spec, const void* in, void* out) noexcept;

  /// Turns the reason why a plan could not be built into a status, and poisons the communicator
  /// unless the arguments were to blame.
  Status cannot_prepare(ErrorCode code, std::string_view reason) noexcept;

  /// Runs until nothing is in flight. Ok or the failure that poisoned the communicator.
  Status drain() noexcept;
  std::unique_ptr<Impl> shrink(std::span<const int> survivors);

 private:
  void connect();
  /// Ends everything in flight on all ranks and takes the slots back from all schedules. Throws
  /// Error with the failure that poisoned the communicator.
  void recycle_slots();

  Config config_;
  std::unique_ptr<Bootstrap> bootstrap_;
  int rank_;
  int size_;
  topology::Fabric fabric_;
  std::size_t slot_bytes_ = 0;
  std::size_t pinned_bytes_ = 0;
  std::unique_ptr<runtime::Watchdog> watchdog_;
  std::unique_ptr<runtime::LaneTable> lanes_;
  std::unique_ptr<runtime::Engine> engine_;  ///< ends before the lanes, whose scratch puts may read
  std::unique_ptr<Plan::Impl> barrier_;      ///< for recycle_slots; its lane is kept
  runtime::PlanCache plans_;
};

}  // namespace roce

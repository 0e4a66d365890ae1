// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "perf/common/gather.hpp"
#include "perf/common/options.hpp"
#include "perf/common/shape.hpp"
#include "roce/communicator.hpp"

namespace roce::perf {

/// One collective on fixed buffers, prepared as a plan for each of the -m operations of an
/// iteration. Made by all ranks together.
class Operation {
 public:
  /// Throws roce::Error.
  Operation(Communicator& communicator, const CollectiveSpec& spec, Placement placement,
            int aggregate, Blocking blocking);

  /// One iteration, to its end. Throws roce::Error when an operation fails.
  void iterate();
  /// A single operation, to its end. Throws roce::Error.
  void once() { require(plans_.front().run(placement_.in, placement_.out)); }

  [[nodiscard]] PlanInfo info() const { return plans_.front().info(); }
  [[nodiscard]] int operations_per_iteration() const noexcept {
    return static_cast<int>(plans_.size());
  }

 private:
  Communicator* communicator_;
  std::vector<Plan> plans_;
  Placement placement_;
  Blocking blocking_;
};

inline void Operation::iterate() {
  const bool overlap = blocking_ == Blocking::None || blocking_ == Blocking::BarrierOutside;
  if (plans_.size() == 1 || !overlap) {
    for (Plan& plan : plans_) {
      require(plan.run(placement_.in, placement_.out));
      if (blocking_ == Blocking::WaitBarrier) require(communicator_->barrier());
    }
    return;
  }
  for (Plan& plan : plans_) require(plan.start(placement_.in, placement_.out));
  for (Plan& plan : plans_) require(plan.wait());
}

}  // namespace roce::perf

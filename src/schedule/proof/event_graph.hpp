// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/schedule/ir.hpp"

namespace roce::schedule::proof {

/// An operation of one epoch. Two more events frame each epoch of a rank: before its first
/// operation the caller fills In and Out (`op` == fill), after its last one the caller reads Out
/// (`op` == the program's size).
struct OpRef {
  int rank = 0;
  int op = 0;
};
inline constexpr int fill = -1;

/// A put or signal, and the first wait that it satisfies. Its landing happens after its issue and
/// before that wait, and is ordered with nothing else.
struct Delivery {
  OpRef put;
  int receiver = 0;
  int slot = 0;
  int wait = -1;  ///< operation of the receiver; -1 when nothing waits for it
};

/// The events of one epoch of a schedule. Every epoch looks the same, and epochs are joined only by
/// each rank's program order. Refers to the schedule, which must outlive it.
class EventGraph {
 public:
  /// The schedule must be well-formed (check_shape).
  explicit EventGraph(const Schedule& schedule);

  [[nodiscard]] const Schedule& schedule() const noexcept { return schedule_; }
  [[nodiscard]] const Operation& operation(OpRef ref) const noexcept {
    return program(ref.rank)[static_cast<std::size_t>(ref.op)];
  }
  [[nodiscard]] const Program& program(int rank) const noexcept {
    return schedule_.programs[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] int length(int rank) const noexcept {
    return static_cast<int>(program(rank).size());
  }
  /// The delivery that a Put or Signal makes or that a Wait awaits; null for other operations and
  /// for a wait that nothing satisfies.
  [[nodiscard]] const Delivery* delivery(OpRef ref) const noexcept;
  /// All operations in an order in which they can run. Incomplete when there is a deadlock.
  [[nodiscard]] const std::vector<OpRef>& order() const noexcept { return order_; }
  /// Names the waits that can never end; empty when there are none.
  [[nodiscard]] const std::string& deadlock() const noexcept { return deadlock_; }

 private:
  void match();
  void run();
  [[nodiscard]] std::string cycle(const std::vector<int>& next) const;
  const Schedule& schedule_;
  std::vector<Delivery> deliveries_;
  std::vector<std::vector<int>> delivery_of_;
  std::vector<OpRef> order_;
  std::string deadlock_;
};

/// "rank 1, epoch 0, op 3: put 2.slot0 <- slot0"; fill and the program's end read "the caller fills
/// its buffers" and "the caller reads out".
[[nodiscard]] std::string describe(const EventGraph& graph, OpRef ref, int epoch);

}  // namespace roce::schedule::proof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "src/schedule/proof/event_graph.hpp"

namespace roce::schedule::proof {

/// A place on a rank's timeline over several epochs.
struct Event {
  int rank = 0;
  int position = 0;
};

/// Which event happens before which, over a number of epochs, by vector clocks (Fidge 1988, Mattern
/// 1989). A clock says how much of each rank's timeline precedes an event; only waits change what
/// is known of other ranks, so one clock is kept for each wait. Landings are not events here: all
/// that follows a landing follows the wait for it.
class HappensBefore {
 public:
  /// The graph must have no deadlock and must outlive this.
  HappensBefore(const EventGraph& graph, int epochs);

  /// Where an operation, the fill or the end of a rank's epoch stands.
  [[nodiscard]] Event at(OpRef ref, int epoch) const noexcept {
    return {ref.rank, epoch * (graph_.length(ref.rank) + 2) + 1 + ref.op};
  }
  /// True when `a` happens before `b`; false for one and the same event.
  [[nodiscard]] bool precedes(Event a, Event b) const noexcept;

 private:
  void run_wait(OpRef ref, int epoch);

  const EventGraph& graph_;
  std::vector<std::uint32_t> clocks_;              ///< ranks() numbers each; clock 0 knows nothing
  std::vector<std::vector<std::uint32_t>> known_;  ///< by rank and position: index of its clock
};

}  // namespace roce::schedule::proof

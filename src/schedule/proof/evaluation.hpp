// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "roce/types.hpp"
#include "src/schedule/proof/event_graph.hpp"
#include "src/schedule/proof/parts.hpp"

namespace roce::schedule::proof {

/// What one symbolic run of one epoch finds.
struct Evaluation {
  std::string wrong;  ///< the read or the result that is not as it should be; empty when right
  Numerics numerics = Numerics::RankOrdered;
  std::vector<std::vector<bool>> completes;  ///< by rank and operation: see VerifiedSchedule
};

/// Runs one epoch, in which whatever earlier epochs left behind counts as undefined, with In and
/// Out apart or as one buffer, and compares each rank's Out with what the collective promises.
/// Stands for every interleaving when there is neither a deadlock nor a race.
[[nodiscard]] Evaluation evaluate(const EventGraph& graph, const Partition& partition,
                                  bool in_place);

}  // namespace roce::schedule::proof

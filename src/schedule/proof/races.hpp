// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "src/schedule/proof/event_graph.hpp"
#include "src/schedule/proof/parts.hpp"

namespace roce::schedule::proof {

/// Two conflicting accesses that nothing orders, with `depth` copies of each slot, in words; empty
/// when every two are ordered. Accesses conflict when they touch the same memory, one at least
/// writes, and they are not of one operation. In and Out count as one buffer, which includes every
/// conflict of separate ones.
///
/// An access is not a moment: a put reads its source and writes its slot at any time from its issue
/// until its landing; the reading is over, too, when a later flush of that peer is. A slot's
/// arrival flag is memory of its own, written by the landing and read by the wait.
///
/// The graph repeats itself, so it is enough to look at pairs within one epoch and one reuse apart:
/// further ones follow, because each access of a chain of reuses is ordered with the next.
[[nodiscard]] std::string find_race(const EventGraph& graph, const Partition& partition, int depth);

}  // namespace roce::schedule::proof

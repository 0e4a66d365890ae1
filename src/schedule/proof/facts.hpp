// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "src/schedule/proof/event_graph.hpp"
#include "src/schedule/verifier.hpp"

namespace roce::schedule::proof {

/// Hops, puts and sent; the other facts are left alone.
[[nodiscard]] ScheduleFacts count_facts(const EventGraph& graph);

/// The hull of what each slot holds on each rank, by rank and slot. Empty when a hull needs more
/// than 65,535 chunks.
[[nodiscard]] std::optional<std::vector<SlotExtent>> slot_extents(const Schedule& schedule);

}  // namespace roce::schedule::proof

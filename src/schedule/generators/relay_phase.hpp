// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "src/schedule/ir.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// What a rank's input is in the whole vector: all of it, or (half 0 or 1) a half of that.
struct RelayedPart {
  Part all;
  Part halves[2];
};
using PartOf = std::function<RelayedPart(int rank)>;

/// For collectives in which every rank's input is the whole vector.
[[nodiscard]] inline RelayedPart relayed_whole(int /*rank*/) {
  return {whole, {{0, 1, 2}, {1, 1, 2}}};
}

/// The slots of a relay, and which of them holds one rank's input once it has come: slot `origin`,
/// also on the origin itself. The farthest rank of an even ring sends the first half of its input
/// there by way 0, and the second half by way 1 into slot n.
[[nodiscard]] inline int relay_slots(const Chain& chain) noexcept {
  return chain.ranks() + (chain.meets(chain.reach()) ? 1 : 0);
}
[[nodiscard]] inline int relay_slot(int origin, int ranks, bool second_half) noexcept {
  return second_half ? ranks : origin;
}

/// True when `origin`'s input comes to `rank` in two halves.
[[nodiscard]] bool comes_in_halves(const Chain& chain, int rank, int origin) noexcept;

/// Appends, for one rank: staging of its input in slot `rank`, sending it both ways, and passing on
/// what comes. `arrived` is called after each wait, when what is to be passed on has been: with the
/// slice that has come.
void append_relay(Program& program, const Chain& chain, int rank, const PartOf& part_of,
                  const std::function<void(const Slice&)>& arrived);

}  // namespace roce::schedule::generators

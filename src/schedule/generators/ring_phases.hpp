// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/schedule/ir.hpp"
#include "src/schedule/patterns.hpp"

// The two halves of ring algorithms, for one rank. Each block is cut in two: its first half travels
// by way 0 of the chain, its second half by way 1, so that both directions of each cable are busy.
namespace roce::schedule::generators {

/// Slots that each phase takes, from `slots` on. Each holds one half block.
[[nodiscard]] constexpr int ring_reduce_slots(int ranks) noexcept { return 2 * ranks; }
[[nodiscard]] constexpr int ring_gather_slots(int ranks) noexcept { return 2 * (ranks - 1); }

/// Appends n - 1 steps after which this rank holds the sum of its own block: the half of way w in
/// `result[w]`. What arrives is folded into the place where it arrived, the last into `result`.
void append_ring_reduce(Program& program, const Chain& chain, int rank, int slots,
                        const Slice (&result)[2]);

/// Appends n - 1 steps in which each rank's halves, from `own[w]` on, come to every rank's Out.
/// This rank's own block is not copied to Out.
void append_ring_gather(Program& program, const Chain& chain, int rank, int slots,
                        const Slice (&own)[2]);

}  // namespace roce::schedule::generators

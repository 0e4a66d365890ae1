// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/generators/ring_phases.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// Partial sums travel n - 1 steps to the rank whose block they are, one half of each block each
/// way round.
Generated reduce_scatter_bidirectional_ring(const topology::Fabric& fabric, int /*root*/) {
  const int n = fabric.ranks();
  const Chain chain(fabric);
  if (n == 1 || (n > 2 && !chain.closed())) return std::nullopt;
  Schedule schedule =
      empty_schedule(Collective::ReduceScatter, "bidirectional_ring", fabric, ring_reduce_slots(n));
  for (int rank = 0; rank < n; ++rank) {
    const Slice result[2] = {out(half_block(rank, 0, n)), out(half_block(rank, 1, n))};
    append_ring_reduce(schedule.programs[static_cast<std::size_t>(rank)], chain, rank, 0, result);
  }
  return schedule;
}

}  // namespace roce::schedule::generators

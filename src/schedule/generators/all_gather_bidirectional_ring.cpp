// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/generators/ring_phases.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// Each block travels n - 1 steps, one half of it each way round.
Generated all_gather_bidirectional_ring(const topology::Fabric& fabric, int /*root*/) {
  const int n = fabric.ranks();
  const Chain chain(fabric);
  if (n == 1 || (n > 2 && !chain.closed())) return std::nullopt;
  Schedule schedule =
      empty_schedule(Collective::AllGather, "bidirectional_ring", fabric, 1 + ring_gather_slots(n));
  for (int rank = 0; rank < n; ++rank) {
    Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    const Part own = block(rank, n);
    const Slice halves[2] = {slot(0, half_block(rank, 0, n)), slot(0, half_block(rank, 1, n))};
    program.push_back(copy(slot(0, own), in(own)));
    append_ring_gather(program, chain, rank, 1, halves);
    program.push_back(copy(out(own), in(own)));
  }
  return schedule;
}

}  // namespace roce::schedule::generators

// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/generators/ring_phases.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// A ring reduce-scatter followed by a ring all-gather, with one half of each block each way round
/// (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms", 2009, in both directions).
Generated all_reduce_bidirectional_ring(const topology::Fabric& fabric, int /*root*/) {
  const int n = fabric.ranks();
  const Chain chain(fabric);
  if (n == 1 || (n > 2 && !chain.closed())) return std::nullopt;
  const int results = ring_reduce_slots(n);
  Schedule schedule = empty_schedule(Collective::AllReduce, "bidirectional_ring", fabric,
                                     results + 2 + ring_gather_slots(n));
  for (int rank = 0; rank < n; ++rank) {
    Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    const Slice own[2] = {slot(results, half_block(rank, 0, n)),
                          slot(results + 1, half_block(rank, 1, n))};
    append_ring_reduce(program, chain, rank, 0, own);
    append_ring_gather(program, chain, rank, results + 2, own);
    for (int way = 0; way < 2; ++way) {
      program.push_back(copy(out(half_block(rank, way, n)), own[way]));
    }
  }
  return schedule;
}

}  // namespace roce::schedule::generators

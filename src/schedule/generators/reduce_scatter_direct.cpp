// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// Everyone sends each block to the rank whose it is. Slot q holds what rank q has of my block,
/// slot n my own input.
Generated reduce_scatter_direct(const topology::Fabric& fabric, int /*root*/) {
  const int n = fabric.ranks();
  if (n == 1) return alone(Collective::ReduceScatter, "direct", fabric);
  Schedule schedule = empty_schedule(Collective::ReduceScatter, "direct", fabric, n + 1);
  for (int rank = 0; rank < n; ++rank) {
    Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    program.push_back(copy(slot(n), in()));
    for (const int peer : peers_to(rank, n)) {
      program.push_back(put(peer, rank, slot(n, block(peer, n))));
    }
    for (const int peer : peers_from(rank, n)) program.push_back(wait(peer));
    std::vector<Slice> inputs;
    for (int q = 0; q < n; ++q) inputs.push_back(slot(q == rank ? n : q, block(rank, n)));
    program.push_back(reduce(out(block(rank, n)), inputs));
  }
  return schedule;
}

}  // namespace roce::schedule::generators

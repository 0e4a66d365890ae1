// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// Everyone sends its block to everyone. Slot q holds rank q's block.
Generated all_gather_one_shot(const topology::Fabric& fabric, int /*root*/) {
  const int n = fabric.ranks();
  if (n == 1) return alone(Collective::AllGather, "one_shot", fabric);
  Schedule schedule = empty_schedule(Collective::AllGather, "one_shot", fabric, n);
  for (int rank = 0; rank < n; ++rank) {
    Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    const Part own = block(rank, n);
    program.push_back(copy(slot(rank, own), in(own)));
    for (const int peer : peers_to(rank, n)) program.push_back(put(peer, rank, slot(rank, own)));
    program.push_back(copy(out(own), in(own)));
    for (const int peer : peers_from(rank, n)) {
      program.push_back(wait(peer));
      program.push_back(copy(out(block(peer, n)), slot(peer, block(peer, n))));
    }
  }
  return schedule;
}

}  // namespace roce::schedule::generators

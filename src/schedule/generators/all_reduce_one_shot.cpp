// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// Everyone sends its whole input to everyone. Slot q holds rank q's input.
Generated all_reduce_one_shot(const topology::Fabric& fabric, int /*root*/) {
  const int n = fabric.ranks();
  if (n == 1) return alone(Collective::AllReduce, "one_shot", fabric);
  Schedule schedule = empty_schedule(Collective::AllReduce, "one_shot", fabric, n);
  std::vector<Slice> inputs;
  for (int rank = 0; rank < n; ++rank) inputs.push_back(slot(rank));
  for (int rank = 0; rank < n; ++rank) {
    Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    program.push_back(copy(slot(rank), in()));
    for (const int peer : peers_to(rank, n)) program.push_back(put(peer, rank, slot(rank)));
    for (const int peer : peers_from(rank, n)) program.push_back(wait(peer));
    program.push_back(reduce(out(), inputs));
  }
  return schedule;
}

}  // namespace roce::schedule::generators

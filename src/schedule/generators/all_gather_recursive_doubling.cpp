// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// In round s each rank swaps the 2^s blocks of its group with its partner in the next group. Slot
/// 0 collects the blocks at their places, slot 1 + s holds what round s brings. Thakur,
/// Rabenseifner and Gropp (2005), section 3.1.
Generated all_gather_recursive_doubling(const topology::Fabric& fabric, int /*root*/) {
  const int n = fabric.ranks();
  if (n == 1 || !is_power_of_two(n)) return std::nullopt;
  const int rounds = floor_log2(n);
  Schedule schedule =
      empty_schedule(Collective::AllGather, "recursive_doubling", fabric, 1 + rounds);
  for (int rank = 0; rank < n; ++rank) {
    Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    program.push_back(copy(slot(0, block(rank, n)), in(block(rank, n))));
    for (int round = 0; round < rounds; ++round) {
      const int size = 1 << round;
      const int partner = rank ^ size;
      const Part mine{rank & ~(size - 1), size, n};
      const Part theirs{partner & ~(size - 1), size, n};
      program.push_back(put(partner, 1 + round, slot(0, mine)));
      program.push_back(wait(1 + round));
      if (round + 1 < rounds) program.push_back(copy(slot(0, theirs), slot(1 + round, theirs)));
      program.push_back(copy(out(theirs), slot(1 + round, theirs)));
    }
    program.push_back(copy(out(block(rank, n)), in(block(rank, n))));
  }
  return schedule;
}

}  // namespace roce::schedule::generators

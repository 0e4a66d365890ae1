// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "src/schedule/generators/generators.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

namespace {

/// The blocks from `first` on, `count` of them, round the end: one run or two.
std::vector<Part> cyclic_runs(int first, int count, int ranks) {
  const int before_end = std::min(count, ranks - first);
  std::vector<Part> runs{{first, before_end, ranks}};
  if (before_end < count) runs.push_back({0, count - before_end, ranks});
  return runs;
}

}  // namespace

/// In round s each rank sends the first 2^s blocks that it has, its own and those after it, to the
/// rank 2^s below. Slot 0 collects the blocks at their places; slots 1 + 2s and 2 + 2s hold what
/// round s brings, the second what lies beyond the end of the vector. Bruck et al., "Efficient
/// algorithms for all-to-all communications in multiport message-passing systems" (1997).
///
/// Not offered for powers of two, where recursive doubling needs no second run.
Generated all_gather_bruck(const topology::Fabric& fabric, int /*root*/) {
  const int n = fabric.ranks();
  if (is_power_of_two(n)) return std::nullopt;
  const int rounds = floor_log2(n) + 1;
  Schedule schedule = empty_schedule(Collective::AllGather, "bruck", fabric, 1 + 2 * rounds);
  for (int rank = 0; rank < n; ++rank) {
    Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    program.push_back(copy(slot(0, block(rank, n)), in(block(rank, n))));
    for (int round = 0; round < rounds; ++round) {
      const int distance = 1 << round;
      const int count = std::min(distance, n - distance);
      int arrival = 1 + 2 * round;
      for (const Part& run : cyclic_runs(rank, count, n)) {
        program.push_back(put(modulo(rank - distance, n), arrival++, slot(0, run)));
      }
      arrival = 1 + 2 * round;
      for (const Part& run : cyclic_runs((rank + distance) % n, count, n)) {
        program.push_back(wait(arrival));
        if (round + 1 < rounds) program.push_back(copy(slot(0, run), slot(arrival, run)));
        program.push_back(copy(out(run), slot(arrival, run)));
        ++arrival;
      }
    }
    program.push_back(copy(out(block(rank, n)), in(block(rank, n))));
  }
  return schedule;
}

}  // namespace roce::schedule::generators

// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// In round s each rank signals the rank 2^s above. Hensgen, Finkel and Manber, "Two algorithms for
/// barrier synchronization" (1988).
Generated barrier_dissemination(const topology::Fabric& fabric, int /*root*/) {
  const int n = fabric.ranks();
  if (n == 1) return alone(Collective::Barrier, "dissemination", fabric);
  const int rounds = floor_log2(2 * n - 1);
  Schedule schedule = empty_schedule(Collective::Barrier, "dissemination", fabric, rounds);
  for (int rank = 0; rank < n; ++rank) {
    Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    for (int round = 0; round < rounds; ++round) {
      program.push_back(signal((rank + (1 << round)) % n, round));
      program.push_back(wait(round));
    }
  }
  return schedule;
}

}  // namespace roce::schedule::generators

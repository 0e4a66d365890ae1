// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/generators/relay_phase.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// Every input travels both ways along the ring or line, and each rank folds its own block of all
/// of them: fewer hops than a ring for small messages, rank order, and it works on lines.
Generated reduce_scatter_bidirectional_relay(const topology::Fabric& fabric, int /*root*/) {
  const int n = fabric.ranks();
  if (n == 1) return std::nullopt;
  const Chain chain(fabric);
  Schedule schedule =
      empty_schedule(Collective::ReduceScatter, "bidirectional_relay", fabric, relay_slots(chain));
  for (int rank = 0; rank < n; ++rank) {
    Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    append_relay(program, chain, rank, relayed_whole, [](const Slice&) {});
    std::vector<Slice> inputs;
    for (int origin = 0; origin < n; ++origin) {
      // Inputs come in halves only when n is even, and then no block lies in both.
      const bool second = 2 * rank >= n && comes_in_halves(chain, rank, origin);
      inputs.push_back(slot(relay_slot(origin, n, second), block(rank, n)));
    }
    program.push_back(reduce(out(block(rank, n)), inputs));
  }
  return schedule;
}

}  // namespace roce::schedule::generators

// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/generators/relay_phase.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

namespace {

/// Folds all inputs in rank order; in two halves where one of them has come so.
void append_fold(Program& program, const Chain& chain, int rank) {
  const int n = chain.ranks();
  bool any_halves = false;
  for (int origin = 0; origin < n; ++origin) any_halves |= comes_in_halves(chain, rank, origin);
  const RelayedPart parts = relayed_whole(rank);
  for (int half = 0; half < (any_halves ? 2 : 1); ++half) {
    const Part part = any_halves ? parts.halves[half] : parts.all;
    std::vector<Slice> inputs;
    for (int origin = 0; origin < n; ++origin) {
      const bool second = half == 1 && comes_in_halves(chain, rank, origin);
      inputs.push_back(slot(relay_slot(origin, n, second), part));
    }
    program.push_back(reduce(out(part), inputs));
  }
}

}  // namespace

/// Every input travels both ways along the ring or line, passed on from the slot it came into, and
/// each rank folds all of them.
Generated all_reduce_bidirectional_relay(const topology::Fabric& fabric, int /*root*/) {
  const int n = fabric.ranks();
  if (n == 1) return std::nullopt;
  const Chain chain(fabric);
  Schedule schedule =
      empty_schedule(Collective::AllReduce, "bidirectional_relay", fabric, relay_slots(chain));
  for (int rank = 0; rank < n; ++rank) {
    Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    append_relay(program, chain, rank, relayed_whole, [](const Slice&) {});
    append_fold(program, chain, rank);
  }
  return schedule;
}

}  // namespace roce::schedule::generators

// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/relay_phase.hpp"

namespace roce::schedule::generators {
namespace {

/// Sends `origin`'s input, which is in slot `origin` here, one step on by a way when somebody there
/// still needs it. `distance` is how far the receiver is from the origin.
void pass_on(Program& program, const Chain& chain, int rank, int origin, int way, int distance,
             const RelayedPart& part) {
  const int next = chain.ahead(rank, way);
  if (next < 0 || distance > chain.reach()) return;
  const bool halves = chain.meets(distance);
  program.push_back(put(next, relay_slot(origin, chain.ranks(), halves && way == 1),
                        slot(origin, halves ? part.halves[way] : part.all)));
}

}  // namespace

bool comes_in_halves(const Chain& chain, int rank, int origin) noexcept {
  return chain.meets(chain.reach()) && chain.ahead(rank, 0, chain.reach()) == origin;
}

void append_relay(Program& program, const Chain& chain, int rank, const PartOf& part_of,
                  const std::function<void(const Slice&)>& arrived) {
  const RelayedPart own = part_of(rank);
  program.push_back(copy(slot(rank, own.all), in(own.all)));
  for (int way = 0; way < 2; ++way) pass_on(program, chain, rank, rank, way, 1, own);
  for (int distance = 1; distance <= chain.reach(); ++distance) {
    for (int way = 0; way < 2; ++way) {
      const int origin = chain.behind(rank, way, distance);
      if (origin < 0) continue;
      const RelayedPart part = part_of(origin);
      const bool halves = chain.meets(distance);
      const int index = relay_slot(origin, chain.ranks(), halves && way == 1);
      program.push_back(wait(index));
      if (!halves) pass_on(program, chain, rank, origin, way, distance + 1, part);
      arrived(slot(index, halves ? part.halves[way] : part.all));
    }
  }
}

}  // namespace roce::schedule::generators

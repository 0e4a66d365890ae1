// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

namespace {

/// On a ring, signal `distance` of a way says that all so far behind the sender have come.
void append_ring(Program& program, const Chain& chain, int rank) {
  const auto reach = [&chain](int way) {
    return chain.reach() - (way == 1 && chain.meets(chain.reach()) ? 1 : 0);
  };
  for (int distance = 1; distance <= chain.reach(); ++distance) {
    for (int way = 0; way < 2; ++way) {
      if (distance > reach(way)) continue;
      program.push_back(signal(chain.ahead(rank, way), 2 * (distance - 1) + way));
    }
    for (int way = 0; way < 2; ++way) {
      if (distance <= reach(way)) program.push_back(wait(2 * (distance - 1) + way));
    }
  }
}

/// On a line, the signal of a way says that everyone up to the sender has come.
void append_line(Program& program, const Chain& chain, int rank) {
  // The nearer end's signal comes first.
  const bool in_first_half = chain.ahead(rank, 0, chain.ranks() / 2) >= 0;
  for (const int way : {in_first_half ? 0 : 1, in_first_half ? 1 : 0}) {
    if (chain.behind(rank, way) >= 0) program.push_back(wait(way));
    if (chain.ahead(rank, way) >= 0) program.push_back(signal(chain.ahead(rank, way), way));
  }
}

}  // namespace

/// News of who has come travels both ways along the ring or line.
Generated barrier_bidirectional_relay(const topology::Fabric& fabric, int /*root*/) {
  const int n = fabric.ranks();
  if (n == 1) return std::nullopt;
  const Chain chain(fabric);
  Schedule schedule = empty_schedule(Collective::Barrier, "bidirectional_relay", fabric,
                                     chain.closed() ? 2 * chain.reach() : 2);
  for (int rank = 0; rank < n; ++rank) {
    Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    chain.closed() ? append_ring(program, chain, rank) : append_line(program, chain, rank);
  }
  return schedule;
}

}  // namespace roce::schedule::generators

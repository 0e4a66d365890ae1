// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// A direct reduce-scatter, then a direct all-gather: rank r folds block r of everyone's input and
/// sends the result to everyone. Slot q holds what rank q has of my block, slot n + q the result of
/// block q, slot 2n my own input.
Generated all_reduce_two_shot(const topology::Fabric& fabric, int /*root*/) {
  const int n = fabric.ranks();
  if (n == 1) return std::nullopt;
  Schedule schedule = empty_schedule(Collective::AllReduce, "two_shot", fabric, 2 * n + 1);
  for (int rank = 0; rank < n; ++rank) {
    Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    const Part own = block(rank, n);
    program.push_back(copy(slot(2 * n), in()));
    for (const int peer : peers_to(rank, n)) {
      program.push_back(put(peer, rank, slot(2 * n, block(peer, n))));
    }
    for (const int peer : peers_from(rank, n)) program.push_back(wait(peer));
    std::vector<Slice> inputs;
    for (int q = 0; q < n; ++q) inputs.push_back(slot(q == rank ? 2 * n : q, own));
    program.push_back(reduce(slot(n + rank, own), inputs));
    for (const int peer : peers_to(rank, n)) {
      program.push_back(put(peer, n + rank, slot(n + rank, own)));
    }
    program.push_back(copy(out(own), slot(n + rank, own)));
    for (const int peer : peers_from(rank, n)) {
      program.push_back(wait(n + peer));
      program.push_back(copy(out(block(peer, n)), slot(n + peer, block(peer, n))));
    }
  }
  return schedule;
}

}  // namespace roce::schedule::generators

// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/broadcast_tree.hpp"

#include <algorithm>

#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

Schedule broadcast_tree(const char* name, const topology::Fabric& fabric, int root,
                        const Children& children) {
  std::size_t most = 0;
  for (const auto& of_rank : children) most = std::max(most, of_rank.size());
  Schedule schedule =
      empty_schedule(Collective::Broadcast, name, fabric, 1 + static_cast<int>(most), root);
  const auto program = [&](int rank) -> Program& {
    return schedule.programs[static_cast<std::size_t>(rank)];
  };
  program(root).push_back(copy(slot(0), in()));
  for (int rank = 0; rank < fabric.ranks(); ++rank) {
    if (rank != root) program(rank).push_back(wait(0));
    for (const int child : children[static_cast<std::size_t>(rank)]) {
      program(rank).push_back(put(child, 0, slot(0)));
    }
    program(rank).push_back(copy(out(), rank == root ? in() : slot(0)));
  }
  for (int rank = 0; rank < fabric.ranks(); ++rank) {
    int acknowledgement = 1;
    for (const int child : children[static_cast<std::size_t>(rank)]) {
      program(child).push_back(signal(rank, acknowledgement++));
    }
  }
  for (int rank = 0; rank < fabric.ranks(); ++rank) {
    const auto count = static_cast<int>(children[static_cast<std::size_t>(rank)].size());
    for (int child = 0; child < count; ++child) program(rank).push_back(wait(1 + child));
  }
  return schedule;
}

}  // namespace roce::schedule::generators

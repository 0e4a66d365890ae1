// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/generators/relay_phase.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// Every block travels both ways along the ring or line, passed on from the slot it came into.
Generated all_gather_bidirectional_relay(const topology::Fabric& fabric, int /*root*/) {
  const int n = fabric.ranks();
  if (n == 1) return std::nullopt;
  const Chain chain(fabric);
  Schedule schedule =
      empty_schedule(Collective::AllGather, "bidirectional_relay", fabric, relay_slots(chain));
  const auto part_of = [n](int rank) {
    return RelayedPart{block(rank, n), {half_block(rank, 0, n), half_block(rank, 1, n)}};
  };
  for (int rank = 0; rank < n; ++rank) {
    Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    append_relay(program, chain, rank, part_of, [&program](const Slice& arrived) {
      Slice dst = arrived;
      dst.buffer = Buffer::Out;
      dst.slot = 0;
      program.push_back(copy(dst, arrived));
    });
    program.push_back(copy(out(block(rank, n)), in(block(rank, n))));
  }
  return schedule;
}

}  // namespace roce::schedule::generators

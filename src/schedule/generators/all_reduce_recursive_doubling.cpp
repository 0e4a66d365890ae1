// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

namespace {

/// Round s joins groups of 2^s ranks: slot 2s holds the sum of the lower group, slot 2s + 1 that of
/// the upper one. A rank beyond the largest power of two hands its input to the rank that far below
/// and has the result handed back, by the last two slots.
struct Layout {
  int ranks;
  int rounds = floor_log2(ranks);
  int core = 1 << rounds;
  int folded_in = 2 * rounds;
  int folded_out = 2 * rounds + 1;
  [[nodiscard]] bool has_extra(int rank) const { return rank + core < ranks; }
};

Program extra_program(const Layout& layout, int rank) {
  return {copy(slot(layout.folded_in), in()),
          put(rank - layout.core, layout.folded_in, slot(layout.folded_in)),
          wait(layout.folded_out), copy(out(), slot(layout.folded_out))};
}

Program core_program(const Layout& layout, int rank) {
  Program program;
  const auto own = [&](int round) { return 2 * round + ((rank >> round) & 1); };
  if (layout.has_extra(rank)) {
    program.push_back(wait(layout.folded_in));
    program.push_back(reduce(slot(own(0)), {in(), slot(layout.folded_in)}));
  } else {
    program.push_back(copy(slot(own(0)), in()));
  }
  const Slice result = layout.has_extra(rank) ? slot(layout.folded_out) : out();
  for (int round = 0; round < layout.rounds; ++round) {
    program.push_back(put(rank ^ (1 << round), own(round), slot(own(round))));
    program.push_back(wait(own(round) ^ 1));
    program.push_back(reduce(round + 1 < layout.rounds ? slot(own(round + 1)) : result,
                             {slot(2 * round), slot(2 * round + 1)}));
  }
  if (layout.has_extra(rank)) {
    program.push_back(put(rank + layout.core, layout.folded_out, result));
    program.push_back(copy(out(), result));
  }
  return program;
}

}  // namespace

/// Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH"
/// (2005), section 4.1, with the ranks beyond a power of two folded in and out.
Generated all_reduce_recursive_doubling(const topology::Fabric& fabric, int /*root*/) {
  const Layout layout{fabric.ranks()};
  if (layout.ranks == 1) return std::nullopt;
  const bool exact = layout.core == layout.ranks;
  Schedule schedule = empty_schedule(Collective::AllReduce, "recursive_doubling", fabric,
                                     2 * layout.rounds + (exact ? 0 : 2));
  for (int rank = 0; rank < layout.ranks; ++rank) {
    schedule.programs[static_cast<std::size_t>(rank)] =
        rank < layout.core ? core_program(layout, rank) : extra_program(layout, rank);
  }
  return schedule;
}

}  // namespace roce::schedule::generators

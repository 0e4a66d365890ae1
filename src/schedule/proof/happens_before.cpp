// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/proof/happens_before.hpp"

#include <algorithm>

namespace roce::schedule::proof {

HappensBefore::HappensBefore(const EventGraph& graph, int epochs) : graph_(graph) {
  const int ranks = graph.schedule().ranks;
  clocks_.assign(static_cast<std::size_t>(ranks), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    known_.emplace_back().reserve(static_cast<std::size_t>(epochs) *
                                  static_cast<std::size_t>(graph.length(rank) + 2));
  }
  for (int epoch = 0; epoch < epochs; ++epoch) {
    // The fill, and the end of the epoch, know what the event before them knows.
    const auto repeat_last = [](std::vector<std::uint32_t>& known) {
      known.push_back(known.empty() ? 0 : known.back());
    };
    for (auto& known : known_) repeat_last(known);
    for (const OpRef ref : graph.order()) {
      repeat_last(known_[static_cast<std::size_t>(ref.rank)]);
      if (graph.operation(ref).kind == OpKind::Wait) run_wait(ref, epoch);
    }
    for (auto& known : known_) repeat_last(known);
  }
}

void HappensBefore::run_wait(OpRef ref, int epoch) {
  const auto ranks = static_cast<std::size_t>(graph_.schedule().ranks);
  const Event issue = at(graph_.delivery(ref)->put, epoch);
  auto& own = known_[static_cast<std::size_t>(ref.rank)].back();
  const std::size_t before = own * ranks;
  const std::size_t theirs =
      known_[static_cast<std::size_t>(issue.rank)][static_cast<std::size_t>(issue.position)] *
      ranks;
  own = static_cast<std::uint32_t>(clocks_.size() / ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    clocks_.push_back(std::max(clocks_[before + rank], clocks_[theirs + rank]));
  }
  auto& known_of_sender = clocks_[own * ranks + static_cast<std::size_t>(issue.rank)];
  known_of_sender = std::max(known_of_sender, static_cast<std::uint32_t>(issue.position + 1));
}

bool HappensBefore::precedes(Event a, Event b) const noexcept {
  if (a.rank == b.rank) return a.position < b.position;
  const auto ranks = static_cast<std::size_t>(graph_.schedule().ranks);
  const std::size_t clock =
      known_[static_cast<std::size_t>(b.rank)][static_cast<std::size_t>(b.position)];
  return clocks_[clock * ranks + static_cast<std::size_t>(a.rank)] >
         static_cast<std::uint32_t>(a.position);
}

}  // namespace roce::schedule::proof

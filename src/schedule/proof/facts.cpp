// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/proof/facts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "src/schedule/proof/parts.hpp"

namespace roce::schedule::proof {
namespace {

struct Hull {
  Fraction begin{1, 1};
  Fraction end{0, 1};
  void include(const Slice& slice) {
    begin = std::min(begin, begin_of(slice));
    end = std::max(end, end_of(slice));
  }
};

std::optional<SlotExtent> extent_of(const Hull& hull) {
  if (!(hull.begin < hull.end)) return SlotExtent{};
  const std::uint64_t of =
      std::lcm(std::uint64_t{hull.begin.denominator}, std::uint64_t{hull.end.denominator});
  if (of > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  const std::uint64_t first = hull.begin.numerator * (of / hull.begin.denominator);
  const std::uint64_t last = hull.end.numerator * (of / hull.end.denominator);
  return SlotExtent{static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last - first),
                    static_cast<std::uint16_t>(of)};
}

}  // namespace

ScheduleFacts count_facts(const EventGraph& graph) {
  const auto ranks = static_cast<std::size_t>(graph.schedule().ranks);
  std::vector<int> level(ranks, 0);
  std::vector<int> puts(ranks, 0);
  std::vector<double> sent(ranks, 0.0);
  std::vector<std::vector<int>> level_of_put(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    level_of_put[rank].resize(graph.schedule().programs[rank].size(), 0);
  }
  ScheduleFacts facts;
  for (const OpRef ref : graph.order()) {
    const auto rank = static_cast<std::size_t>(ref.rank);
    const Operation& operation = graph.operation(ref);
    if (operation.kind == OpKind::Wait) {
      const OpRef put = graph.delivery(ref)->put;
      level[rank] = std::max(
          level[rank],
          level_of_put[static_cast<std::size_t>(put.rank)][static_cast<std::size_t>(put.op)]);
    }
    if (operation.kind != OpKind::Put && operation.kind != OpKind::Signal) continue;
    level_of_put[rank][static_cast<std::size_t>(ref.op)] = level[rank] + 1;
    facts.hops = std::max(facts.hops, level[rank] + 1);
    facts.puts = std::max(facts.puts, ++puts[rank]);
    if (operation.kind == OpKind::Put) {
      sent[rank] += static_cast<double>(operation.dst.count) / operation.dst.of;
      facts.sent = std::max(facts.sent, sent[rank]);
    }
  }
  return facts;
}

std::optional<std::vector<SlotExtent>> slot_extents(const Schedule& schedule) {
  std::vector<Hull> hulls(static_cast<std::size_t>(schedule.ranks) * schedule.slots);
  const auto include = [&](int rank, const Slice& slice) {
    if (slice.buffer != Buffer::Slot) return;
    hulls[static_cast<std::size_t>(rank) * schedule.slots + slice.slot].include(slice);
  };
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    for (const Operation& operation : schedule.programs[static_cast<std::size_t>(rank)]) {
      // Waits, signals and flushes have no sources, and what they name holds no data.
      if (operation.sources.empty()) continue;
      include(operation.kind == OpKind::Put ? operation.peer : rank, operation.dst);
      for (const Slice& source : operation.sources) include(rank, source);
    }
  }
  std::vector<SlotExtent> extents;
  for (const Hull& hull : hulls) {
    const std::optional<SlotExtent> extent = extent_of(hull);
    if (!extent) return std::nullopt;
    extents.push_back(*extent);
  }
  return extents;
}

}  // namespace roce::schedule::proof

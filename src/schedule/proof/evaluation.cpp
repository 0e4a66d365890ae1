// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/proof/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/schedule/print.hpp"
#include "src/schedule/proof/contract.hpp"
#include "src/schedule/proof/happens_before.hpp"
#include "src/schedule/proof/values.hpp"

namespace roce::schedule::proof {
namespace {

/// A value for each elementary interval.
using Contents = std::vector<ValueId>;

class SymbolicRun {
 public:
  SymbolicRun(const EventGraph& graph, const Partition& partition, bool in_place)
      : graph_(graph), partition_(partition), in_place_(in_place), values_(graph.schedule().ranks) {
    const Schedule& schedule = graph.schedule();
    const Contents undefined(static_cast<std::size_t>(partition.size()), undefined_value);
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      memory_.emplace_back(std::size_t{2} + schedule.slots, undefined);
      result_.completes.emplace_back(graph.program(rank).size(), false);
      if (const auto part = input_part(schedule, rank)) {
        const Range range = partition.range(*part);
        auto& input = contents(rank, *part);
        std::fill(input.begin() + range.first, input.begin() + range.last, values_.leaf(rank));
      }
    }
  }

  Evaluation run() {
    for (const OpRef ref : graph_.order()) {
      if (!result_.wrong.empty()) return std::move(result_);
      const Operation& operation = graph_.operation(ref);
      if (operation.kind == OpKind::Reduce) reduce(ref);
      if (operation.kind == OpKind::Copy || operation.kind == OpKind::Put) move(ref);
    }
    for (int rank = 0; rank < graph_.schedule().ranks && result_.wrong.empty(); ++rank) {
      compare(rank);
    }
    return std::move(result_);
  }

 private:
  Contents& contents(int rank, const Slice& slice) {
    std::size_t index = 0;
    if (slice.buffer == Buffer::Slot) index = std::size_t{2} + slice.slot;
    if (slice.buffer == Buffer::Out && !in_place_) index = 1;
    return memory_[static_cast<std::size_t>(rank)][index];
  }

  ValueId read(OpRef ref, const Slice& slice, int interval) {
    const ValueId value = contents(ref.rank, slice)[static_cast<std::size_t>(interval)];
    if (value == undefined_value && result_.wrong.empty()) {
      result_.wrong = fmt::format("{} reads {} before anything of this epoch is in it{}",
                                  describe(graph_, ref, 0), to_text(slice), mode());
    }
    return value;
  }

  void move(OpRef ref) {
    const Operation& operation = graph_.operation(ref);
    const int owner = operation.kind == OpKind::Put ? operation.peer : ref.rank;
    const Range range = partition_.range(operation.dst);
    for (int i = range.first; i < range.last; ++i) {
      contents(owner, operation.dst)[static_cast<std::size_t>(i)] =
          read(ref, operation.sources[0], i);
    }
  }

  void reduce(OpRef ref) {
    const Operation& operation = graph_.operation(ref);
    const Range range = partition_.range(operation.dst);
    std::vector<ValueId> operands(operation.sources.size());
    int completed = 0;
    for (int i = range.first; i < range.last; ++i) {
      std::transform(operation.sources.begin(), operation.sources.end(), operands.begin(),
                     [&](const Slice& source) { return read(ref, source, i); });
      if (!result_.wrong.empty()) return;
      const ValueId value = values_.fold(operands);
      const bool was_complete = std::any_of(operands.begin(), operands.end(), [&](ValueId operand) {
        return graph_.schedule().ranks > 1 && values_.complete(operand);
      });
      completed += values_.complete(value) && !was_complete ? 1 : 0;
      contents(ref.rank, operation.dst)[static_cast<std::size_t>(i)] = value;
    }
    if (completed != 0 && completed != range.last - range.first) {
      result_.wrong = fmt::format("{} completes the sum of only a part of what it reduces{}",
                                  describe(graph_, ref, 0), mode());
    }
    result_.completes[static_cast<std::size_t>(ref.rank)][static_cast<std::size_t>(ref.op)] =
        completed != 0;
  }

  void compare(int rank) {
    const auto part = output_part(graph_.schedule(), rank);
    if (!part) return;
    const Range range = partition_.range(*part);
    for (int i = range.first; i < range.last && result_.wrong.empty(); ++i) {
      const ValueId value = contents(rank, *part)[static_cast<std::size_t>(i)];
      const std::string problem = problem_with(value, i);
      if (problem.empty()) continue;
      result_.wrong = fmt::format("rank {}'s out holds {} in interval {} of {}{}: {}", rank,
                                  values_.text(value), i, partition_.size(), mode(), problem);
    }
  }

  /// Why a result is not what the collective promises there; notes its numerics.
  std::string problem_with(ValueId value, int interval) {
    if (value == undefined_value) return "nothing was written there";
    const Schedule& schedule = graph_.schedule();
    const auto expect = [&](int origin) {
      return value == values_.leaf(origin) ? std::string()
                                           : fmt::format("should be rank {}'s input", origin);
    };
    if (schedule.collective == Collective::Broadcast) return expect(schedule.root);
    if (schedule.collective == Collective::AllGather) return expect(owner_of(interval));
    if (!values_.complete(value)) return "should hold the input of each rank once";
    if (!values_.rank_ordered(value)) result_.numerics = Numerics::Agreed;
    if (schedule.collective != Collective::AllReduce) return {};
    const ValueId first = contents(0, {Buffer::Out})[static_cast<std::size_t>(interval)];
    if (value == first) return {};
    return "rank 0 has other bits, " + values_.text(first);
  }

  [[nodiscard]] int owner_of(int interval) const {
    for (int rank = 0; rank < graph_.schedule().ranks; ++rank) {
      const Range block = partition_.range(*input_part(graph_.schedule(), rank));
      if (block.first <= interval && interval < block.last) return rank;
    }
    return -1;
  }

  [[nodiscard]] const char* mode() const { return in_place_ ? " when in place" : ""; }

  const EventGraph& graph_;
  const Partition& partition_;
  bool in_place_;
  Values values_;
  std::vector<std::vector<Contents>> memory_;  ///< by rank: In, Out, then the slots
  Evaluation result_;
};

/// A barrier has no data: what counts is that no rank ends before every rank has begun.
std::string find_early_end(const EventGraph& graph) {
  const HappensBefore order(graph, 1);
  const int ranks = graph.schedule().ranks;
  for (int rank = 0; rank < ranks; ++rank) {
    for (int other = 0; other < ranks; ++other) {
      const Event begin = order.at({other, fill}, 0);
      if (order.precedes(begin, order.at({rank, graph.length(rank)}, 0))) continue;
      return fmt::format("rank {} can leave the barrier before rank {} has come", rank, other);
    }
  }
  return {};
}

}  // namespace

Evaluation evaluate(const EventGraph& graph, const Partition& partition, bool in_place) {
  Evaluation result = SymbolicRun(graph, partition, in_place).run();
  if (result.wrong.empty() && graph.schedule().collective == Collective::Barrier) {
    result.wrong = find_early_end(graph);
  }
  return result;
}

}  // namespace roce::schedule::proof

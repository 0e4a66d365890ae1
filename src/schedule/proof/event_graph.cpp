// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/proof/event_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/schedule/print.hpp"

namespace roce::schedule::proof {
namespace {

bool delivers(const Operation& operation) {
  return operation.kind == OpKind::Put || operation.kind == OpKind::Signal;
}

}  // namespace

EventGraph::EventGraph(const Schedule& schedule) : schedule_(schedule) {
  match();
  if (deadlock_.empty()) run();
}

const Delivery* EventGraph::delivery(OpRef ref) const noexcept {
  const int index =
      delivery_of_[static_cast<std::size_t>(ref.rank)][static_cast<std::size_t>(ref.op)];
  return index < 0 ? nullptr : &deliveries_[static_cast<std::size_t>(index)];
}

void EventGraph::match() {
  const auto slots = static_cast<std::size_t>(schedule_.slots);
  std::vector<int> into(static_cast<std::size_t>(schedule_.ranks) * slots, -1);
  const auto cell = [&](int rank, int slot) -> int& {
    return into[static_cast<std::size_t>(rank) * slots + static_cast<std::size_t>(slot)];
  };
  for (int rank = 0; rank < schedule_.ranks; ++rank) {
    delivery_of_.emplace_back(program(rank).size(), -1);
    for (int op = 0; op < length(rank); ++op) {
      const Operation& operation = this->operation({rank, op});
      if (!delivers(operation)) continue;
      const int index = static_cast<int>(deliveries_.size());
      cell(operation.peer, operation.dst.slot) = index;
      delivery_of_.back()[static_cast<std::size_t>(op)] = index;
      deliveries_.push_back({{rank, op}, operation.peer, operation.dst.slot, -1});
    }
  }
  for (int rank = 0; rank < schedule_.ranks; ++rank) {
    for (int op = 0; op < length(rank); ++op) {
      const Operation& operation = this->operation({rank, op});
      if (operation.kind != OpKind::Wait) continue;
      const int index = cell(rank, operation.dst.slot);
      if (index < 0) {
        deadlock_ = describe(*this, {rank, op}, 0) + " never ends: nothing is put into that slot";
        return;
      }
      delivery_of_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(op)] = index;
      Delivery& found = deliveries_[static_cast<std::size_t>(index)];
      if (found.wait < 0) found.wait = op;
    }
  }
}

void EventGraph::run() {
  std::vector<int> next(static_cast<std::size_t>(schedule_.ranks), 0);
  const auto blocked = [&](OpRef ref) {
    if (operation(ref).kind != OpKind::Wait) return false;
    const OpRef put = delivery(ref)->put;
    return next[static_cast<std::size_t>(put.rank)] <= put.op;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (int rank = 0; rank < schedule_.ranks; ++rank) {
      int& op = next[static_cast<std::size_t>(rank)];
      for (; op < length(rank) && !blocked({rank, op}); ++op) {
        order_.push_back({rank, op});
        progress = true;
      }
    }
  }
  for (int rank = 0; rank < schedule_.ranks; ++rank) {
    if (next[static_cast<std::size_t>(rank)] < length(rank)) {
      deadlock_ = cycle(next);
      return;
    }
  }
}

std::string EventGraph::cycle(const std::vector<int>& next) const {
  const auto at = [&](int rank) { return next[static_cast<std::size_t>(rank)]; };
  int rank = 0;
  while (at(rank) >= length(rank)) ++rank;
  // A rank that waits for a put that was not issued waits for a rank that is itself stuck, so
  // following the waits must come round.
  std::vector<bool> seen(next.size(), false);
  const auto awaited = [&](int waiter) { return delivery({waiter, at(waiter)})->put; };
  for (; !seen[static_cast<std::size_t>(rank)]; rank = awaited(rank).rank) {
    seen[static_cast<std::size_t>(rank)] = true;
  }
  std::string text = "each of these waits for the next, the last for the first: ";
  const int start = rank;
  do {
    text += fmt::format("[{}] ", describe(*this, {rank, at(rank)}, 0));
    rank = awaited(rank).rank;
  } while (rank != start);
  text.pop_back();
  return text;
}

std::string describe(const EventGraph& graph, OpRef ref, int epoch) {
  if (ref.op == fill) {
    return fmt::format("rank {}, epoch {}: the caller fills its buffers", ref.rank, epoch);
  }
  if (ref.op >= graph.length(ref.rank)) {
    return fmt::format("rank {}, epoch {}: the caller reads out", ref.rank, epoch);
  }
  return fmt::format("rank {}, epoch {}, op {}: {}", ref.rank, epoch, ref.op,
                     to_text(graph.operation(ref)));
}

}  // namespace roce::schedule::proof

// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/proof/races.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "src/schedule/proof/contract.hpp"
#include "src/schedule/proof/happens_before.hpp"

namespace roce::schedule::proof {
namespace {

/// An operation of an epoch relative to another.
struct Ending {
  OpRef ref;
  int epochs_later = 0;
};

/// One use of memory by one operation of epoch 0.
struct Access {
  OpRef ref;
  bool write = false;
  Buffer buffer = Buffer::Slot;
  Range range;
  std::optional<OpRef> landed;   ///< it has ended when this wait is over
  std::optional<Ending> passed;  ///< it has ended before anything that follows this
};

/// The accesses to a slot's data, a slot's flag or the user's buffers of one rank.
using Accesses = std::vector<Access>;

/// All accesses of one epoch by the memory they touch.
class Memory {
 public:
  Memory(const EventGraph& graph, const Partition& partition)
      : graph_(graph),
        partition_(partition),
        user_(static_cast<std::size_t>(graph.schedule().ranks)),
        data_(user_.size() * graph.schedule().slots),
        flags_(data_.size()) {
    for (int rank = 0; rank < graph.schedule().ranks; ++rank) {
      add_caller(rank);
      for (int op = 0; op < graph.length(rank); ++op) add_operation({rank, op});
    }
  }

  [[nodiscard]] const std::vector<Accesses>& user() const noexcept { return user_; }
  [[nodiscard]] const std::vector<Accesses>& data() const noexcept { return data_; }
  [[nodiscard]] const std::vector<Accesses>& flags() const noexcept { return flags_; }

 private:
  void add_caller(int rank) {
    auto& accesses = user_[static_cast<std::size_t>(rank)];
    const OpRef filled{rank, fill};
    const OpRef done{rank, graph_.length(rank)};
    if (const auto part = input_part(graph_.schedule(), rank)) {
      accesses.push_back(
          {filled, true, part->buffer, partition_.range(*part), {}, Ending{filled, 0}});
    }
    if (const auto part = output_part(graph_.schedule(), rank)) {
      accesses.push_back(
          {filled, true, part->buffer, partition_.range(*part), {}, Ending{filled, 0}});
      accesses.push_back({done, false, part->buffer, partition_.range(*part), {}, Ending{done, 0}});
    }
  }

  void add_operation(OpRef ref) {
    const Operation& operation = graph_.operation(ref);
    switch (operation.kind) {
      case OpKind::Copy:
      case OpKind::Reduce:
        for (const Slice& source : operation.sources) {
          buffer(ref.rank, source)
              .push_back({ref, false, source.buffer, partition_.range(source), {}, Ending{ref, 0}});
        }
        buffer(ref.rank, operation.dst)
            .push_back({ref,
                        true,
                        operation.dst.buffer,
                        partition_.range(operation.dst),
                        {},
                        Ending{ref, 0}});
        return;
      case OpKind::Put:
        add_put(ref);
        return;
      case OpKind::Signal:
        flag(operation.peer, operation.dst)
            .push_back({ref, true, Buffer::Slot, {0, 1}, landing(ref), {}});
        return;
      case OpKind::Wait:
        flag(ref.rank, operation.dst)
            .push_back({ref, false, Buffer::Slot, {0, 1}, {}, Ending{ref, 0}});
        return;
      case OpKind::Flush:
        return;
    }
  }

  void add_put(OpRef ref) {
    const Operation& operation = graph_.operation(ref);
    const Slice& source = operation.sources[0];
    const std::optional<OpRef> landed = landing(ref);
    buffer(ref.rank, source)
        .push_back({ref, false, source.buffer, partition_.range(source), landed, next_flush(ref)});
    buffer(operation.peer, operation.dst)
        .push_back({ref, true, operation.dst.buffer, partition_.range(operation.dst), landed, {}});
    flag(operation.peer, operation.dst).push_back({ref, true, Buffer::Slot, {0, 1}, landed, {}});
  }

  [[nodiscard]] std::optional<OpRef> landing(OpRef ref) const {
    const Delivery* delivery = graph_.delivery(ref);
    if (delivery->wait < 0) return std::nullopt;
    return OpRef{delivery->receiver, delivery->wait};
  }

  /// The first flush of the put's peer after it, which may stand in the next epoch.
  [[nodiscard]] std::optional<Ending> next_flush(OpRef put) const {
    const int peer = graph_.operation(put).peer;
    const int length = graph_.length(put.rank);
    for (int step = 1; step <= length; ++step) {
      const OpRef ref{put.rank, (put.op + step) % length};
      const Operation& operation = graph_.operation(ref);
      if (operation.kind == OpKind::Flush && operation.peer == peer) {
        return Ending{ref, (put.op + step) / length};
      }
    }
    return std::nullopt;
  }

  Accesses& buffer(int rank, const Slice& slice) {
    return slice.buffer == Buffer::Slot ? data_[cell(rank, slice)]
                                        : user_[static_cast<std::size_t>(rank)];
  }
  Accesses& flag(int rank, const Slice& slice) { return flags_[cell(rank, slice)]; }
  [[nodiscard]] std::size_t cell(int rank, const Slice& slice) const {
    return static_cast<std::size_t>(rank) * graph_.schedule().slots + slice.slot;
  }

  const EventGraph& graph_;
  const Partition& partition_;
  std::vector<Accesses> user_;
  std::vector<Accesses> data_;
  std::vector<Accesses> flags_;
};

class RaceSearch {
 public:
  RaceSearch(const EventGraph& graph, const Partition& partition, int depth)
      : graph_(graph), memory_(graph, partition), order_(graph, depth + 1), depth_(depth) {}

  /// Races within an epoch first: they are plainer, and often the cause of those across epochs.
  [[nodiscard]] std::string find() const {
    std::string race = find(false);
    return race.empty() ? find(true) : race;
  }

 private:
  [[nodiscard]] std::string find(bool across) const {
    for (std::size_t rank = 0; rank < memory_.user().size(); ++rank) {
      const std::string pair = find_pair(memory_.user()[rank], across ? 1 : 0);
      if (!pair.empty()) return fmt::format("the caller's buffers on rank {}: {}", rank, pair);
    }
    const std::size_t slots = graph_.schedule().slots;
    for (std::size_t cell = 0; cell < memory_.data().size(); ++cell) {
      // Another epoch's message may have another size, and so its parts other places in the slot.
      std::string pair = find_pair(memory_.data()[cell], across ? depth_ : 0, across);
      const bool in_data = !pair.empty();
      if (!in_data) pair = find_pair(memory_.flags()[cell], across ? depth_ : 0);
      if (pair.empty()) continue;
      return fmt::format("slot {}{} of rank {} at depth {}: {}", cell % slots,
                         in_data ? "" : "'s flag", cell / slots, depth_, pair);
    }
    return {};
  }

  /// Pairs of an access and another that comes `distance` epochs later. `anywhere`: all parts count
  /// as overlapping.
  [[nodiscard]] std::string find_pair(const Accesses& accesses, int distance,
                                      bool anywhere = false) const {
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      for (std::size_t j = distance == 0 ? i + 1 : 0; j < accesses.size(); ++j) {
        const Access& a = accesses[i];
        const Access& b = accesses[j];
        if (!a.write && !b.write) continue;
        if (!anywhere && !a.range.overlaps(b.range)) continue;
        if (distance == 0 && (same_operation(a, b) || ordered(b, a, 0))) continue;
        if (!ordered(a, b, distance)) return unordered(a, b, distance);
      }
    }
    return {};
  }

  static bool same_operation(const Access& a, const Access& b) {
    return a.ref.rank == b.ref.rank && a.ref.op == b.ref.op;
  }

  /// True when `a` of epoch 0 has ended before `b` of a later epoch starts.
  [[nodiscard]] bool ordered(const Access& a, const Access& b, int epochs_later) const {
    const Event start = order_.at(b.ref, epochs_later);
    if (a.passed && order_.precedes(order_.at(a.passed->ref, a.passed->epochs_later), start)) {
      return true;
    }
    if (!a.landed) return false;
    const Event wait = order_.at(*a.landed, 0);
    return (wait.rank == start.rank && wait.position == start.position) ||
           order_.precedes(wait, start);
  }

  [[nodiscard]] std::string unordered(const Access& a, const Access& b, int epochs_later) const {
    const auto verb = [](const Access& access) { return access.write ? "write" : "read"; };
    return fmt::format("nothing orders the {} by [{}] and the {} by [{}]{}", verb(a),
                       describe(graph_, a.ref, 0), verb(b), describe(graph_, b.ref, epochs_later),
                       a.buffer == b.buffer ? "" : " when in place");
  }

  const EventGraph& graph_;
  Memory memory_;
  HappensBefore order_;
  int depth_;
};

}  // namespace

std::string find_race(const EventGraph& graph, const Partition& partition, int depth) {
  return RaceSearch(graph, partition, depth).find();
}

}  // namespace roce::schedule::proof

// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/proof/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "src/schedule/print.hpp"
#include "src/schedule/proof/contract.hpp"

namespace roce::schedule::proof {
namespace {

/// The fold kernels mark sources in a mask of 64 bits.
constexpr std::size_t max_sources = 64;

bool delivers(OpKind kind) { return kind == OpKind::Put || kind == OpKind::Signal; }

/// Looks at one operation of one rank.
class OperationCheck {
 public:
  OperationCheck(const Schedule& schedule, int rank, const Operation& operation)
      : schedule_(schedule), rank_(rank), operation_(operation) {}

  /// What is wrong, as the end of a sentence; empty when nothing is.
  [[nodiscard]] std::string find() const {
    switch (operation_.kind) {
      case OpKind::Copy:
      case OpKind::Reduce:
        return first_of({source_count(), local_destination(), operands()});
      case OpKind::Put:
        return first_of({source_count(), peer(), remote_slot(), operands()});
      case OpKind::Signal:
        return first_of({source_count(), peer(), remote_slot()});
      case OpKind::Wait:
        return first_of({source_count(), remote_slot()});
      case OpKind::Flush:
        return first_of({source_count(), peer()});
    }
    return "has a kind that does not exist";
  }

 private:
  static std::string first_of(std::initializer_list<std::string> findings) {
    for (const std::string& finding : findings) {
      if (!finding.empty()) return finding;
    }
    return {};
  }

  [[nodiscard]] std::string source_count() const {
    const std::size_t count = operation_.sources.size();
    const bool one = operation_.kind == OpKind::Copy || operation_.kind == OpKind::Put;
    if (one && count != 1) return fmt::format("has {} sources instead of 1", count);
    if (operation_.kind == OpKind::Reduce) {
      if (count >= 1 && count <= max_sources) return {};
      return fmt::format("has {} sources; a reduce takes 1 to {}", count, max_sources);
    }
    if (!one && count != 0) return "has sources but carries no data";
    return {};
  }

  [[nodiscard]] std::string peer() const {
    const int peer = operation_.peer;
    if (peer < 0 || peer >= schedule_.ranks) return fmt::format("has the unknown peer {}", peer);
    if (peer == rank_) return "has its own rank as peer";
    return {};
  }

  [[nodiscard]] std::string remote_slot() const {
    if (operation_.dst.buffer != Buffer::Slot) return "must name a slot";
    return known_slot(operation_.dst);
  }

  [[nodiscard]] std::string known_slot(const Slice& slice) const {
    if (slice.slot < schedule_.slots) return {};
    return fmt::format("names slot {} of {}", slice.slot, schedule_.slots);
  }

  [[nodiscard]] std::string local_destination() const {
    return operation_.dst.buffer == Buffer::In ? "writes the caller's input" : std::string();
  }

  [[nodiscard]] std::string operands() const {
    std::string finding = operand(operation_.dst);
    for (const Slice& source : operation_.sources) {
      if (finding.empty()) finding = operand(source);
      if (finding.empty() && !same_part(source, operation_.dst)) {
        finding = fmt::format("has operands of unequal parts, {} and {}", to_text(operation_.dst),
                              to_text(source));
      }
    }
    return finding;
  }

  [[nodiscard]] std::string operand(const Slice& slice) const {
    if (slice.of == 0 || slice.count == 0 || slice.first + slice.count > slice.of) {
      return fmt::format("names the part [{}, {}) of {}, which is empty or outside of the vector",
                         slice.first, slice.first + slice.count, slice.of);
    }
    if (slice.buffer == Buffer::Slot) return known_slot(slice);
    const std::optional<Slice> bounds =
        slice.buffer == Buffer::In ? input_part(schedule_, rank_) : output_part(schedule_, rank_);
    if (!bounds) return fmt::format("names {}, which this rank does not have", to_text(slice));
    if (begin_of(slice) < begin_of(*bounds) || end_of(*bounds) < end_of(slice)) {
      return fmt::format("names {}, but this rank has only {}", to_text(slice), to_text(*bounds));
    }
    return {};
  }

  const Schedule& schedule_;
  int rank_;
  const Operation& operation_;
};

std::string op_text(int rank, std::size_t op, const Operation& operation) {
  return fmt::format("rank {}, op {}: {}", rank, op, to_text(operation));
}

std::string find_malformed_frame(const Schedule& schedule) {
  if (schedule.ranks < 1) return fmt::format("{} ranks", schedule.ranks);
  if (schedule.programs.size() != static_cast<std::size_t>(schedule.ranks)) {
    return fmt::format("{} programs for {} ranks", schedule.programs.size(), schedule.ranks);
  }
  if (static_cast<std::size_t>(schedule.collective) >= collective_count) {
    return "a collective that does not exist";
  }
  if (schedule.root < 0 || schedule.root >= schedule.ranks) {
    return fmt::format("root {} of {} ranks", schedule.root, schedule.ranks);
  }
  return {};
}

std::string find_second_put(const Schedule& schedule) {
  std::map<std::pair<int, int>, std::string> first;
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    const Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    for (std::size_t op = 0; op < program.size(); ++op) {
      if (!delivers(program[op].kind)) continue;
      const std::string text = op_text(rank, op, program[op]);
      const auto [known, is_first] =
          first.try_emplace({program[op].peer, program[op].dst.slot}, text);
      if (!is_first) {
        return fmt::format("two puts into slot {} of rank {} in one epoch: {}; {}",
                           program[op].dst.slot, program[op].peer, known->second, text);
      }
    }
  }
  return {};
}

}  // namespace

std::string find_malformed(const Schedule& schedule) {
  if (std::string finding = find_malformed_frame(schedule); !finding.empty()) return finding;
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    const Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    for (std::size_t op = 0; op < program.size(); ++op) {
      const std::string finding = OperationCheck(schedule, rank, program[op]).find();
      if (!finding.empty()) return op_text(rank, op, program[op]) + " " + finding;
    }
  }
  return find_second_put(schedule);
}

std::string find_unwritten(const Schedule& schedule, const Partition& partition) {
  const auto size = static_cast<std::size_t>(partition.size());
  std::map<std::pair<int, int>, std::vector<bool>> written;
  const auto for_each_op = [&](auto&& visit) {
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      const Program& program = schedule.programs[static_cast<std::size_t>(rank)];
      for (std::size_t op = 0; op < program.size(); ++op) visit(rank, op, program[op]);
    }
  };
  for_each_op([&](int rank, std::size_t, const Operation& operation) {
    const bool is_put = operation.kind == OpKind::Put;
    if (operation.sources.empty() || operation.dst.buffer != Buffer::Slot) return;
    auto& parts = written[{is_put ? operation.peer : rank, operation.dst.slot}];
    parts.resize(size, false);
    const Range range = partition.range(operation.dst);
    std::fill(parts.begin() + range.first, parts.begin() + range.last, true);
  });
  std::string finding;
  for_each_op([&](int rank, std::size_t op, const Operation& operation) {
    for (const Slice& source : operation.sources) {
      if (source.buffer != Buffer::Slot || !finding.empty()) continue;
      auto& parts = written[{rank, source.slot}];
      parts.resize(size, false);
      const Range range = partition.range(source);
      for (int i = range.first; i < range.last && finding.empty(); ++i) {
        if (parts[static_cast<std::size_t>(i)]) continue;
        finding = fmt::format("{} reads {}, a part of which nothing is put or written into",
                              op_text(rank, op, operation), to_text(source));
      }
    }
  });
  return finding;
}

std::string find_off_fabric(const Schedule& schedule, const topology::Fabric& fabric) {
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    const Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    for (std::size_t op = 0; op < program.size(); ++op) {
      if (!delivers(program[op].kind) || fabric.linked(rank, program[op].peer)) continue;
      return fmt::format("no link {}-{} on this {} of {}: {}", rank, program[op].peer,
                         topology::to_string(fabric.fabric_class()), fabric.ranks(),
                         op_text(rank, op, program[op]));
    }
  }
  return {};
}

}  // namespace roce::schedule::proof

// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sharing.hpp"

#include <algorithm>
#include <cstddef>

namespace roce::runtime {
namespace {

using schedule::Buffer;
using schedule::Operation;
using schedule::OpKind;
using schedule::Program;
using schedule::Schedule;
using schedule::Slice;

bool in_slot(const Slice& slice, std::uint16_t slot) {
  return slice.buffer == Buffer::Slot && slice.slot == slot;
}

bool writes(const Operation& op, std::uint16_t slot) {
  return (op.kind == OpKind::Copy || op.kind == OpKind::Reduce) && in_slot(op.dst, slot);
}

bool puts_into(const Operation& op, std::uint16_t slot) {
  return op.kind == OpKind::Put && op.dst.slot == slot;
}

/// The puts into a slot as [first, last] when they are two or more, adjacent (but for puts into
/// other slots), of one source, and all that is sent there: a signal would come with their flag.
struct Group {
  std::size_t first = 0;
  std::size_t last = 0;
  bool valid = false;
};

Group find_group(const Program& program, std::uint16_t slot) {
  Group group;
  std::size_t puts = 0;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program[i].kind == OpKind::Signal && program[i].dst.slot == slot) return {};
    if (!puts_into(program[i], slot)) continue;
    if (puts++ == 0) group.first = i;
    if (program[i].sources != program[group.first].sources) return {};
    group.last = i;
  }
  group.valid = puts >= 2;
  for (std::size_t i = group.first; i < group.last; ++i) {
    group.valid = group.valid && program[i].kind == OpKind::Put;
  }
  return group;
}

/// The sender's own slot of that number holds the puts' source, or nothing at all.
bool own_slot_is_free(const Program& program, std::uint16_t slot, const Group& group) {
  const bool is_source = in_slot(program[group.first].sources[0], slot);
  std::size_t last_wait = 0;
  for (std::size_t i = 0; i < group.first; ++i) {
    if (program[i].kind == OpKind::Wait) last_wait = i + 1;
  }
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Operation& op = program[i];
    if (op.kind == OpKind::Wait && op.dst.slot == slot) return false;
    if (writes(op, slot) && (!is_source || i < last_wait || i > group.first ||
                             !(op.dst == program[group.first].sources[0]))) {
      return false;
    }
    const bool reads = std::any_of(op.sources.begin(), op.sources.end(),
                                   [&](const Slice& source) { return in_slot(source, slot); });
    if (reads && !is_source) return false;
  }
  return true;
}

/// No receiver changes what it got, which it may not in another rank's memory.
bool receivers_only_read(const Schedule& schedule, const Program& sender, std::uint16_t slot) {
  return std::all_of(sender.begin(), sender.end(), [&](const Operation& put) {
    if (!puts_into(put, slot)) return true;
    const Program& receiver = schedule.programs[static_cast<std::size_t>(put.peer)];
    return std::none_of(receiver.begin(), receiver.end(),
                        [slot](const Operation& op) { return writes(op, slot); });
  });
}

bool sharable(const Schedule& schedule, const Program& sender, std::uint16_t slot) {
  const Group group = find_group(sender, slot);
  return group.valid && own_slot_is_free(sender, slot, group) &&
         receivers_only_read(schedule, sender, slot);
}

}  // namespace

SlotSharing::SlotSharing(const Schedule& schedule) {
  for (const Program& program : schedule.programs) {
    std::vector<bool>& row = shared_.emplace_back(schedule.slots, false);
    for (std::uint16_t slot = 0; slot < schedule.slots; ++slot) {
      row[slot] = sharable(schedule, program, slot);
    }
  }
}

}  // namespace roce::runtime

// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/staging.hpp"

#include <algorithm>
#include <cstddef>

namespace roce::runtime {
namespace {

using schedule::Buffer;
using schedule::Operation;
using schedule::OpKind;
using schedule::Program;
using schedule::Slice;

bool in_slot(const Slice& slice, std::uint16_t slot) {
  return slice.buffer == Buffer::Slot && slice.slot == slot;
}

/// Compares [first/of, (first + count)/of) as fractions.
bool same_part(const Slice& a, const Slice& b) {
  return unsigned{a.first} * b.of == unsigned{b.first} * a.of &&
         unsigned{a.count} * b.of == unsigned{b.count} * a.of;
}
bool part_overlaps(const Slice& a, const Slice& b) {
  return unsigned{a.first} * b.of < (unsigned{b.first} + b.count) * a.of &&
         unsigned{b.first} * a.of < (unsigned{a.first} + a.count) * b.of;
}

bool writes_locally(const Operation& op) {
  return (op.kind == OpKind::Copy || op.kind == OpKind::Reduce) && !op.sources.empty();
}

/// In and Out may be one buffer, so both count as the user's.
bool writes_user_part(const Operation& op, const Slice& part) {
  return writes_locally(op) && op.dst.buffer != Buffer::Slot && part_overlaps(op.dst, part);
}
bool reads_user_part(const Operation& op, const Slice& part) {
  return std::any_of(op.sources.begin(), op.sources.end(), [&](const Slice& source) {
    return source.buffer != Buffer::Slot && part_overlaps(source, part);
  });
}

/// True when the operation at `index` is the only one of this rank that fills the slot, and no peer
/// does.
bool only_filled_at(const Program& program, std::size_t index) {
  const std::uint16_t slot = program[index].dst.slot;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Operation& op = program[i];
    const bool fills = (writes_locally(op) || op.kind == OpKind::Wait) && in_slot(op.dst, slot);
    if (fills && i != index) return false;
  }
  return true;
}

template <typename Visit>
void for_each_read(Program& program, std::size_t after, std::uint16_t slot, Visit&& visit) {
  for (std::size_t i = after + 1; i < program.size(); ++i) {
    for (Slice& source : program[i].sources) {
      if (in_slot(source, slot)) visit(i, source);
    }
  }
}

/// Copy(Slot <- In): readers of the slot read In instead, unless something wrote it in between.
void forward_input(Program& program, std::size_t index, unsigned blocks) {
  const Operation staged = program[index];
  bool possible = true;
  for_each_read(program, index, staged.dst.slot, [&](std::size_t reader, const Slice& part) {
    for (std::size_t i = index + 1; i < reader; ++i) {
      possible = possible && !writes_user_part(program[i], part);
    }
    possible = possible && (program[reader].kind == OpKind::Copy || within_one_block(part, blocks));
  });
  if (!possible) return;
  for_each_read(program, index, staged.dst.slot, [](std::size_t, Slice& part) {
    part.buffer = Buffer::In;
    part.slot = 0;
  });
  program[index].sources.clear();
}

/// Reduce(Slot), later Copy(Out <- Slot): the reduction writes Out, and everyone reads it there.
void forward_result(Program& program, std::size_t index, unsigned blocks) {
  const Slice staged = program[index].dst;
  if (!within_one_block(staged, blocks)) return;
  const auto copy =
      std::find_if(program.begin() + static_cast<std::ptrdiff_t>(index) + 1, program.end(),
                   [&](const Operation& op) {
                     return op.kind == OpKind::Copy && op.sources.size() == 1 &&
                            in_slot(op.sources[0], staged.slot) && op.dst.buffer == Buffer::Out &&
                            same_part(op.dst, staged) && same_part(op.sources[0], staged);
                   });
  if (copy == program.end()) return;
  const auto copy_index = static_cast<std::size_t>(copy - program.begin());
  for (std::size_t i = index + 1; i < program.size(); ++i) {
    if (writes_user_part(program[i], staged) && i != copy_index) return;
    if (reads_user_part(program[i], staged)) return;
  }
  for_each_read(program, index, staged.slot, [](std::size_t, Slice& part) {
    part.buffer = Buffer::Out;
    part.slot = 0;
  });
  program[index].dst.buffer = Buffer::Out;
  program[index].dst.slot = 0;
  copy->sources.clear();
}

}  // namespace

bool within_one_block(const Slice& part, unsigned blocks) noexcept {
  const unsigned block = part.first * blocks / part.of;
  return (unsigned{part.first} + part.count) * blocks <= (block + 1) * part.of;
}

Program remove_staging(const Program& program, unsigned blocks) {
  Program result = program;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Operation& op = result[i];
    if (op.dst.buffer != Buffer::Slot || !writes_locally(op) || !only_filled_at(result, i))
      continue;
    if (op.kind == OpKind::Copy && op.sources[0].buffer == Buffer::In) {
      forward_input(result, i, blocks);
    }
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Operation& op = result[i];
    if (op.dst.buffer != Buffer::Slot || !writes_locally(op) || !only_filled_at(result, i))
      continue;
    if (op.kind == OpKind::Reduce) forward_result(result, i, blocks);
  }
  return result;
}

}  // namespace roce::runtime

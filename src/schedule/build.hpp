// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "src/schedule/ir.hpp"

namespace roce::schedule {

/// A run of equal chunks of the whole vector: [first, first + count) of `of`.
struct Part {
  int first = 0;
  int count = 1;
  int of = 1;
};
inline constexpr Part whole{};

/// Slices by buffer.
[[nodiscard]] inline Slice slice(Buffer buffer, int slot, Part part) {
  return {buffer, static_cast<std::uint16_t>(slot), static_cast<std::uint16_t>(part.first),
          static_cast<std::uint16_t>(part.count), static_cast<std::uint16_t>(part.of)};
}
[[nodiscard]] inline Slice in(Part part = whole) { return slice(Buffer::In, 0, part); }
[[nodiscard]] inline Slice out(Part part = whole) { return slice(Buffer::Out, 0, part); }
[[nodiscard]] inline Slice slot(int index, Part part = whole) {
  return slice(Buffer::Slot, index, part);
}

/// Operations, one function each.
[[nodiscard]] inline Operation copy(Slice dst, Slice source) {
  return {OpKind::Copy, -1, dst, {source}};
}
[[nodiscard]] inline Operation reduce(Slice dst, std::vector<Slice> sources) {
  return {OpKind::Reduce, -1, dst, std::move(sources)};
}
/// Into the peer's slot `index`, the part that `source` names.
[[nodiscard]] inline Operation put(int peer, int index, Slice source) {
  Slice dst = source;
  dst.buffer = Buffer::Slot;
  dst.slot = static_cast<std::uint16_t>(index);
  return {OpKind::Put, static_cast<std::int16_t>(peer), dst, {source}};
}
[[nodiscard]] inline Operation wait(int index) { return {OpKind::Wait, -1, slot(index), {}}; }
[[nodiscard]] inline Operation signal(int peer, int index) {
  return {OpKind::Signal, static_cast<std::int16_t>(peer), slot(index), {}};
}
[[nodiscard]] inline Operation flush(int peer) {
  return {OpKind::Flush, static_cast<std::int16_t>(peer), {}, {}};
}

}  // namespace roce::schedule

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace roce::transport {

/// Bytes that move between cores or over PCIe as one.
inline constexpr std::size_t cache_line = 64;

/// The arrival flag: the epoch of the put that it announces. It stands in the last eight bytes of a
/// cache line, at a place that no payload ever covers, and is never reset.
using Flag = std::uint64_t;

/// The first bytes of a rank's slot memory are the transport's own; slots begin after them.
inline constexpr std::size_t control_bytes = cache_line;

/// A slot ends with a few cache lines that each have a flag. A payload that fits them is striped
/// over the last of them, so that data and flag arrive as one line, all lines at once. A larger
/// payload lies in one piece before them, and the last line's flag announces it.
inline constexpr std::size_t striped_lines = 4;
/// Payload of one striped line.
inline constexpr std::size_t stripe = cache_line - sizeof(Flag);
inline constexpr std::size_t striped_limit = striped_lines * stripe;

[[nodiscard]] constexpr std::size_t align_up(std::size_t value, std::size_t alignment) noexcept {
  return (value + alignment - 1) / alignment * alignment;
}

/// Bytes of a slot that can hold `capacity` bytes of payload and the flags.
[[nodiscard]] constexpr std::size_t slot_bytes(std::size_t capacity) noexcept {
  return align_up(capacity, cache_line) + striped_lines * cache_line;
}

/// How many lines a payload is striped over: each has a flag. 1 also for what is not striped.
[[nodiscard]] constexpr std::size_t flagged_lines(std::size_t bytes) noexcept {
  return bytes <= stripe || bytes > striped_limit ? 1 : (bytes + stripe - 1) / stripe;
}

/// Where a payload that lies in one piece begins in the slot whose last flag is at `flag_offset`:
/// in the flag's own line when it fits, else before the striped lines.
[[nodiscard]] constexpr std::size_t payload_offset(std::size_t flag_offset,
                                                   std::size_t bytes) noexcept {
  const std::size_t last_line = flag_offset + sizeof(Flag) - cache_line;
  if (bytes <= stripe) return last_line;
  return last_line - (striped_lines - 1) * cache_line - align_up(bytes, cache_line);
}

}  // namespace roce::transport

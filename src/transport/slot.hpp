// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace roce::transport {

/// Bytes that move between cores or over PCIe as one.
inline constexpr std::size_t cache_line = 64;

/// The arrival flag of a slot: the epoch of the put that it announces. It stands in the last eight
/// bytes of the slot's last cache line, at a place that no payload ever covers, and is never reset.
using Flag = std::uint64_t;

[[nodiscard]] constexpr std::size_t align_up(std::size_t value, std::size_t alignment) noexcept {
  return (value + alignment - 1) / alignment * alignment;
}

/// The first bytes of a rank's slot memory are the transport's own; slots begin after them.
inline constexpr std::size_t control_bytes = cache_line;

/// Bytes of a slot that can hold `capacity` bytes of payload and the flag.
[[nodiscard]] constexpr std::size_t slot_bytes(std::size_t capacity) noexcept {
  return align_up(capacity + sizeof(Flag), cache_line);
}

/// Where a payload of `bytes` begins in the slot whose flag is at `flag_offset`. The payload lies
/// as far back as a cache line's boundary allows, so that payload and flag are one contiguous write
/// and up to 56 bytes share the flag's line.
[[nodiscard]] constexpr std::size_t payload_offset(std::size_t flag_offset,
                                                   std::size_t bytes) noexcept {
  return (flag_offset - bytes) & ~(cache_line - 1);
}

}  // namespace roce::transport

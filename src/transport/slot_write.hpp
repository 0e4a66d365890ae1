// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/transport/slot.hpp"

namespace roce::transport {

/// The flag that stands at an address in slot memory.
[[nodiscard]] inline std::atomic_ref<Flag> flag_at(std::byte* address) noexcept {
  return std::atomic_ref<Flag>(*reinterpret_cast<Flag*>(address));
}

/// memcpy for a few words, without a call; dst and source may be one address.
inline void copy_short(std::byte* dst, const std::byte* source, std::size_t bytes) noexcept {
  constexpr std::size_t word = sizeof(std::uint64_t);
  for (; bytes >= word; bytes -= word, dst += word, source += word) {
    std::uint64_t value = 0;
    std::memcpy(&value, source, word);
    std::memcpy(dst, &value, word);
  }
  for (; bytes > 0; --bytes) *dst++ = *source++;
}

/// Writes a payload, then its flags, into the slot of `memory` whose last flag is at `flag_offset`,
/// laid out as slot.hpp says. The slot must be as large as the payload needs.
inline void write_slot(std::byte* memory, std::size_t flag_offset, const std::byte* source,
                       std::size_t bytes, Flag epoch) noexcept {
  std::size_t lines = flagged_lines(bytes);
  for (; lines > 1; --lines) {
    std::byte* const line_flag = memory + flag_offset - (lines - 1) * cache_line;
    std::memcpy(line_flag - stripe, source, stripe);
    source += stripe;
    bytes -= stripe;
    // Release: as below, for this line's part.
    flag_at(line_flag).store(epoch, std::memory_order_release);
  }
  std::byte* const payload = memory + payload_offset(flag_offset, bytes);
  if (bytes <= stripe) {
    copy_short(payload, source, bytes);
  } else if (source != payload) {
    std::memcpy(payload, source, bytes);
  }
  // Release: whoever sees the epoch sees the payload, and that my earlier reads of slots are over.
  flag_at(memory + flag_offset).store(epoch, std::memory_order_release);
}

}  // namespace roce::transport

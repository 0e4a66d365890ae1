// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/transport/slot.hpp"

namespace roce::transport::ucx {

/// What a message is for.
enum class MessageKind : std::uint32_t {
  Put,    ///< carries a payload and where it belongs
  Hello,  ///< the first of a connection
  Leave,  ///< the last: that the connection ends now is no failure
};

/// Stands before each message's payload, as it lies in memory: the ends are one build of the
/// library on machines of one byte order, which the setting up makes sure of.
struct MessageHeader {
  std::uint64_t token = 0;  ///< the receiver's: it tells its peers' messages from strangers'
  std::uint64_t flag_offset = 0;
  Flag epoch = 0;
  std::uint32_t sender = 0;  ///< a rank
  MessageKind kind = MessageKind::Put;
};
static_assert(sizeof(MessageHeader) == 32);

/// True when a payload of `bytes`, announced by the flag at `flag_offset`, lies with all its flags
/// within the slots of `memory_bytes`, and outside of the transport's own part.
[[nodiscard]] constexpr bool fits_slots(std::size_t memory_bytes, std::uint64_t flag_offset,
                                        std::size_t bytes) noexcept {
  if (flag_offset % cache_line != cache_line - sizeof(Flag)) return false;
  if (memory_bytes < sizeof(Flag) || flag_offset > memory_bytes - sizeof(Flag)) return false;
  const std::size_t end = static_cast<std::size_t>(flag_offset) + sizeof(Flag);
  // Without sums of what came from outside, which could wrap.
  if (end < control_bytes + cache_line || bytes > end) return false;
  const std::size_t lines_before =
      bytes > striped_limit ? striped_lines - 1 : flagged_lines(bytes) - 1;
  const std::size_t whole_before = bytes > striped_limit ? align_up(bytes, cache_line) : 0;
  return lines_before * cache_line + whole_before <= end - cache_line - control_bytes;
}

}  // namespace roce::transport::ucx

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "src/transport/slot.hpp"

namespace roce::transport::verbs {

/// One or two RDMA writes: `source_bytes` straight from the source, then `image_bytes` that were
/// made for the purpose, in one piece from `offset`. The flag is the last word of that piece, or,
/// when it is apart, a second write of eight bytes.
struct PutLayout {
  std::size_t offset = 0;        ///< in the peer's slot memory, of the first byte
  std::size_t source_bytes = 0;  ///< 0 for what goes in lines
  std::size_t image_bytes = 0;   ///< lines of payload and flags, or a gap of zeros and the flag
  std::size_t flag_offset = 0;
  std::size_t lines = 1;  ///< with a flag, up to the one at flag_offset
  bool flag_apart = false;

  [[nodiscard]] std::size_t bytes() const noexcept { return source_bytes + image_bytes; }
  friend bool operator==(const PutLayout&, const PutLayout&) = default;
};

/// The longest image of lines.
inline constexpr std::size_t longest_image = striped_lines * cache_line;
/// The longest gap between a payload in one piece and its flag.
inline constexpr std::size_t longest_gap = longest_image + cache_line - 1 - sizeof(Flag);

/// Where the bytes of a put go. With `flag_apart` nothing of the first write but flags of earlier
/// lines can be taken for an announcement, so the last flag announces all. Without it a gap is
/// written as zeros, which no epoch equals, and may wipe out stale flags of lines in it.
[[nodiscard]] PutLayout lay_out_put(std::size_t flag_offset, std::size_t bytes,
                                    bool flag_apart) noexcept;

/// As lay_out_put, with the flag in the write when all fits `path_mtu`: what is longer travels in
/// several packets, for whose order nobody vouches.
[[nodiscard]] PutLayout lay_out_put_within(std::size_t path_mtu, std::size_t flag_offset,
                                           std::size_t bytes) noexcept;

/// A payload longer than striped_limit in two parts, which may arrive in any order. The first has
/// its flag in the line before the last, where such a payload has no flag otherwise; flags apart.
[[nodiscard]] std::array<PutLayout, 2> lay_out_halves(std::size_t flag_offset,
                                                      std::size_t bytes) noexcept;

/// Marks the flags of a payload in two parts: both must have come.
inline constexpr Flag halves_mark = Flag{1} << 63U;

/// Makes the image of a layout without source bytes: `bytes` of payload from `source` in lines,
/// with `flag` as each flag that is in it. `image` has room for longest_image bytes.
void write_image(std::byte* image, const PutLayout& layout, const std::byte* source,
                 std::size_t bytes, Flag flag) noexcept;

}  // namespace roce::transport::verbs

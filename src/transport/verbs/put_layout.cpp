// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/put_layout.hpp"

#include <cstring>

namespace roce::transport::verbs {

PutLayout lay_out_put(std::size_t flag_offset, std::size_t bytes, bool flag_apart) noexcept {
  PutLayout layout{.flag_offset = flag_offset, .flag_apart = flag_apart};
  const std::size_t end = flag_offset + (flag_apart ? 0 : sizeof(Flag));
  if (bytes == 0) {
    layout.offset = flag_offset;
  } else if (bytes <= striped_limit) {
    layout.lines = flagged_lines(bytes);
    layout.offset = flag_offset + sizeof(Flag) - layout.lines * cache_line;
  } else {
    layout.offset = payload_offset(flag_offset, bytes);
    layout.source_bytes = bytes;
    if (flag_apart) return layout;
  }
  layout.image_bytes = end - layout.offset - layout.source_bytes;
  if (flag_apart && bytes != 0) {
    // Nothing stands between the last line's payload and its flag.
    layout.image_bytes = (layout.lines - 1) * cache_line + bytes - (layout.lines - 1) * stripe;
  }
  return layout;
}

PutLayout lay_out_put_within(std::size_t path_mtu, std::size_t flag_offset,
                             std::size_t bytes) noexcept {
  const PutLayout layout = lay_out_put(flag_offset, bytes, false);
  return layout.bytes() <= path_mtu ? layout : lay_out_put(flag_offset, bytes, true);
}

std::array<PutLayout, 2> lay_out_halves(std::size_t flag_offset, std::size_t bytes) noexcept {
  PutLayout second = lay_out_put(flag_offset, bytes, true);
  PutLayout first = second;
  first.source_bytes = bytes / 2 / cache_line * cache_line;
  first.flag_offset -= cache_line;
  second.offset += first.source_bytes;
  second.source_bytes -= first.source_bytes;
  return {first, second};
}

void write_image(std::byte* image, const PutLayout& layout, const std::byte* source,
                 std::size_t bytes, Flag flag) noexcept {
  for (std::size_t line = 1; line < layout.lines; ++line) {
    std::memcpy(image, source, stripe);
    std::memcpy(image + stripe, &flag, sizeof flag);
    image += cache_line;
    source += stripe;
    bytes -= stripe;
  }
  if (layout.flag_apart) {
    if (bytes != 0) std::memcpy(image, source, bytes);
    return;
  }
  if (bytes != 0) {
    std::memset(image, 0, stripe);
    std::memcpy(image, source, bytes);
    image += stripe;
  }
  std::memcpy(image, &flag, sizeof flag);
}

}  // namespace roce::transport::verbs

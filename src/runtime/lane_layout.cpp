// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/lane_layout.hpp"

#include <algorithm>

#include "src/transport/slot.hpp"

namespace roce::runtime {
namespace {

constexpr std::size_t largest_element = 8;

/// Bytes of payload that a slot must hold: its largest extent on any rank, plus what rounding to
/// whole elements may add at either end.
std::size_t capacity(const schedule::VerifiedSchedule& schedule, int slot,
                     std::size_t segment_bytes) {
  std::size_t most = 0;
  for (int rank = 0; rank < schedule.schedule().ranks; ++rank) {
    const schedule::SlotExtent& extent = schedule.extent(rank, slot);
    if (extent.count == 0) continue;
    const std::size_t share = segment_bytes * extent.count / extent.of +
                              (extent.of == extent.count ? 0 : largest_element);
    most = std::max(most, share);
  }
  return most;
}

/// Segments are whole cache lines and, where the vector is made of blocks, whole lines a block.
std::size_t granule(const schedule::VerifiedSchedule& schedule) {
  return transport::cache_line * static_cast<std::size_t>(schedule.schedule().ranks);
}

}  // namespace

LaneLayout lay_out(const schedule::VerifiedSchedule& schedule, std::size_t segment_bytes) {
  LaneLayout layout;
  layout.segment_bytes = segment_bytes;
  for (int slot = 0; slot < schedule.schedule().slots; ++slot) {
    layout.copy_bytes += transport::slot_bytes(capacity(schedule, slot, segment_bytes));
    layout.flag_offsets.push_back(layout.copy_bytes - sizeof(transport::Flag));
  }
  return layout;
}

LaneLayout lay_out_within(const schedule::VerifiedSchedule& schedule, std::size_t copies,
                          std::size_t budget, std::size_t limit) {
  const std::size_t step = granule(schedule);
  std::size_t low = 1;  // in granules; the least there is
  std::size_t high = std::max<std::size_t>(limit / step, 1);
  const auto fits = [&](std::size_t granules) {
    return lay_out(schedule, granules * step).copy_bytes * copies <= budget;
  };
  while (low < high) {
    const std::size_t middle = low + (high - low + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return lay_out(schedule, low * step);
}

}  // namespace roce::runtime

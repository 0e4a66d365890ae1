// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "src/schedule/verifier.hpp"

namespace roce::runtime {

/// The element at which the fraction numerator/denominator of a vector of `elements` begins. Equal
/// fractions give equal elements, so neighbouring slices always meet.
[[nodiscard]] constexpr std::size_t position(std::size_t elements, std::size_t numerator,
                                             std::size_t denominator) noexcept {
  // elements * numerator may not fit; the quotient and the remainder are scaled apart.
  return elements / denominator * numerator + elements % denominator * numerator / denominator;
}

/// Where the slots of one schedule lie. The same on every rank, because a slot gets the room that
/// the largest of the ranks needs.
struct LaneLayout {
  std::vector<std::size_t> flag_offsets;  ///< of each slot's flag within one copy of the slots
  std::size_t copy_bytes = 0;             ///< all slots once
  std::size_t segment_bytes = 0;          ///< the most of the whole vector that fits at a time
};

/// A layout for segments of `segment_bytes` of the whole vector.
[[nodiscard]] LaneLayout lay_out(const schedule::VerifiedSchedule& schedule,
                                 std::size_t segment_bytes);

/// The layout with the largest segment, at most `limit`, whose slots take at most `budget` bytes
/// in `copies` copies; with the smallest possible segment where not even that fits.
[[nodiscard]] LaneLayout lay_out_within(const schedule::VerifiedSchedule& schedule,
                                        std::size_t copies, std::size_t budget, std::size_t limit);

}  // namespace roce::runtime

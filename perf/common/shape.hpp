// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "roce/types.hpp"

namespace roce::perf {

/// How a row's size divides into what each rank sends and receives, as nccl-tests counts it.
struct Shape {
  std::size_t count = 0;          ///< CollectiveSpec::count, and the column "count"
  std::size_t send_bytes = 0;     ///< that a rank reads
  std::size_t receive_bytes = 0;  ///< that a rank writes

  /// The column "size": the whole vector.
  [[nodiscard]] std::size_t size() const noexcept { return std::max(send_bytes, receive_bytes); }
};

/// All-gather and reduce-scatter round `bytes` down to a multiple of ranks * elements.
[[nodiscard]] Shape shape_of(Collective collective, DataType type, std::size_t bytes, int ranks);

/// Bus bandwidth over algorithm bandwidth, by nccl-tests' PERFORMANCE.md.
[[nodiscard]] double bus_factor(Collective collective, int ranks);

/// True when a reduction operator has a meaning for the collective.
[[nodiscard]] constexpr bool reduces(Collective collective) noexcept {
  return collective == Collective::AllReduce || collective == Collective::ReduceScatter;
}

/// Where one rank's operation reads and writes.
struct Placement {
  std::byte* in = nullptr;
  std::byte* out = nullptr;
};

/// The buffers of an operation: apart, or overlaid in the way that the collective allows. `send`
/// and `receive` hold the shape's bytes each.
[[nodiscard]] Placement place(Collective collective, const Shape& shape, int rank, bool in_place,
                              std::byte* send, std::byte* receive);

}  // namespace roce::perf

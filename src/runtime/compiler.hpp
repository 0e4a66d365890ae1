// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "roce/types.hpp"
#include "src/runtime/flat_program.hpp"
#include "src/runtime/lane_layout.hpp"
#include "src/schedule/verifier.hpp"

namespace roce::runtime {

/// What a schedule is compiled for.
struct Binding {
  int rank = 0;
  DataType type = DataType::Float32;
  ReduceOp op;
  /// Elements of a segment: of the vector for all-reduce and broadcast, of each rank's block for
  /// all-gather and reduce-scatter.
  std::size_t elements = 0;
  /// Elements from one rank's block to the next in the user's buffer; the whole count, of which
  /// `elements` are this segment's.
  std::size_t block_stride = 0;
  /// The transport's trait of that name: puts may then read user buffers, and staging copies go.
  bool reads_source_at_once = false;
  /// The transport's trait of that name: puts of one source to several peers are made once.
  bool shares_slots = false;
};

/// Binds a rank's program of a schedule to sizes and offsets. Pure. Throws roce::Error
/// (Unsupported), on every rank, for a put that does not fill its slot alone, that reads user
/// buffers when they must be staged, or that reads blocks of them that lie apart.
[[nodiscard]] FlatProgram compile(const schedule::VerifiedSchedule& schedule,
                                  const LaneLayout& layout, const Binding& binding);

}  // namespace roce::runtime

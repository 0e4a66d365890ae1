// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "roce/types.hpp"

namespace roce::perf {

/// The inputs that a check uses. They repeat after `period` elements, a prime, so that no block of
/// a schedule's usual sizes can be taken for another.
inline constexpr std::size_t pattern_period = 16381;

/// What determines the inputs of all ranks. Plain data.
struct Pattern {
  DataType type = DataType::Float32;
  ReduceOp::Kind op = ReduceOp::Kind::Sum;
  int ranks = 1;
  std::uint64_t seed = 0;
};

/// The bits of element `index` (below the period) of a rank's input.
///
/// Integers are random over the whole range. Floats at even indices are random, of magnitude 0.5 to
/// 1.5. At odd indices at most two ranks differ from the operator's neutral element, by small
/// powers of two, so that any order of summing is exact in every format and an error of one place
/// shows.
[[nodiscard]] std::uint64_t input_bits(const Pattern& pattern, int rank, std::size_t index);

/// A PremulSum's factor of a rank: 1, 2 or 3 for integers, 1, 2 or 1.5 for floats.
[[nodiscard]] double premul_factor(DataType type, int rank) noexcept;
/// The operator that a rank passes: the pattern's kind, and for PremulSum its factor.
[[nodiscard]] ReduceOp reduce_op(const Pattern& pattern, int rank);

/// The first `elements` (at most a period) of a rank's input, as bytes.
[[nodiscard]] std::vector<std::byte> input_table(const Pattern& pattern, int rank,
                                                 std::size_t elements);

/// Fills `bytes` of `destination` by repeating `table`. `bytes` may end within a repetition.
void fill_periodic(const std::vector<std::byte>& table, std::byte* destination, std::size_t bytes);

}  // namespace roce::perf

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "perf/common/pattern.hpp"
#include "roce/types.hpp"

namespace roce::perf {

/// The right results of a reduction over all ranks, for one period of the pattern: exact bytes for
/// integers, for floats an interval that the numerics class allows.
struct Expectation {
  DataType type = DataType::Float32;
  std::vector<std::byte> bytes;  ///< integers, and data that is only moved
  std::vector<double> low;       ///< floats
  std::vector<double> high;
};

/// The reduction of the first `elements` (at most a period) of all ranks' inputs, computed in long
/// double or modulo 2^64.
///
/// The interval is 0 wide where every order of evaluation is exact. Otherwise RankOrdered allows
/// the accumulator's roundings (fp32 for 16- and 8-bit floats) and one to the type; Agreed allows
/// one to the type for each rank (Higham, Accuracy and Stability of Numerical Algorithms,
/// section 4.2).
[[nodiscard]] Expectation expect_reduction(const Pattern& pattern, Numerics numerics,
                                           std::size_t elements);

/// A rank's input itself, for data that is only moved.
[[nodiscard]] Expectation expect_input(const Pattern& pattern, int rank, std::size_t elements);

}  // namespace roce::perf

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "roce/types.hpp"
#include "src/reduce/fold.hpp"

namespace roce::test {

/// Every value of a small float format, found by counting; rounds by searching them. Slow and
/// plain, and shares nothing with the library.
class SmallFloat {
 public:
  /// For Float16, BFloat16, Float8E4M3 and Float8E5M2.
  [[nodiscard]] static const SmallFloat& of(DataType type);

  [[nodiscard]] double value(std::uint32_t bits) const;
  /// To nearest, ties to the even pattern; a NaN becomes nan().
  [[nodiscard]] std::uint32_t nearest(double value) const;
  [[nodiscard]] std::uint32_t nan() const { return nan_; }
  [[nodiscard]] std::uint32_t patterns() const { return 2 * sign_; }
  /// The finite values from 0 upwards; the index is the pattern.
  [[nodiscard]] const std::vector<double>& finite() const { return finite_; }

 private:
  SmallFloat(int exponent_bits, int mantissa_bits, std::uint32_t finite_patterns,
             std::uint32_t overflow, std::uint32_t nan, bool infinite);
  std::vector<double> finite_;
  std::uint32_t sign_;
  std::uint32_t overflow_;
  std::uint32_t nan_;
  bool infinite_;
};

/// What the FoldFunction of `type` and `kind` must make of `count` elements, one element at a time.
[[nodiscard]] std::vector<std::byte> reference_fold(
    DataType type, ReduceOp::Kind kind, const std::vector<std::vector<std::byte>>& sources,
    std::size_t count, const reduce::FoldOptions& options);

/// `count` elements, of which some are special: zeros of both signs, infinities, NaNs, subnormals,
/// extremes.
[[nodiscard]] std::vector<std::byte> random_elements(DataType type, std::size_t count,
                                                     std::uint64_t seed);

}  // namespace roce::test

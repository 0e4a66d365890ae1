// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "src/schedule/ir.hpp"

namespace roce::schedule::proof {

/// A position in the whole vector, exactly: numerator / denominator in lowest terms.
struct Fraction {
  std::uint32_t numerator = 0;
  std::uint32_t denominator = 1;
  friend bool operator==(const Fraction&, const Fraction&) = default;
  friend std::strong_ordering operator<=>(const Fraction& a, const Fraction& b) noexcept {
    return std::uint64_t{a.numerator} * b.denominator <=>
           std::uint64_t{b.numerator} * a.denominator;
  }
};

/// Where a slice begins and ends. `slice.of` must not be 0.
[[nodiscard]] Fraction begin_of(const Slice& slice) noexcept;
[[nodiscard]] Fraction end_of(const Slice& slice) noexcept;

/// True when both name the same positions, in whatever chunks.
[[nodiscard]] bool same_part(const Slice& a, const Slice& b) noexcept;

/// Elementary intervals [first, last).
struct Range {
  int first = 0;
  int last = 0;
  [[nodiscard]] bool overlaps(const Range& other) const noexcept {
    return first < other.last && other.first < last;
  }
};

/// The whole vector cut at every boundary that some slice of a schedule or some user buffer has.
/// Within one elementary interval all elements fare alike.
class Partition {
 public:
  /// All slices must lie within the vector.
  explicit Partition(const Schedule& schedule);

  /// How many elementary intervals there are; at least 1.
  [[nodiscard]] int size() const noexcept { return static_cast<int>(cuts_.size()) - 1; }
  /// The intervals of a slice whose boundaries are among the schedule's.
  [[nodiscard]] Range range(const Slice& slice) const noexcept;

 private:
  [[nodiscard]] int index_of(Fraction cut) const noexcept;
  std::vector<Fraction> cuts_;
};

}  // namespace roce::schedule::proof

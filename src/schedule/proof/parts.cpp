// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/proof/parts.hpp"

#include <algorithm>
#include <numeric>

#include "src/schedule/proof/contract.hpp"

namespace roce::schedule::proof {
namespace {

Fraction reduced(std::uint32_t numerator, std::uint32_t denominator) noexcept {
  const std::uint32_t divisor = std::gcd(numerator, denominator);
  return {numerator / divisor, denominator / divisor};
}

bool names_data(const Operation& operation) {
  return operation.kind == OpKind::Copy || operation.kind == OpKind::Reduce ||
         operation.kind == OpKind::Put;
}

}  // namespace

Fraction begin_of(const Slice& slice) noexcept { return reduced(slice.first, slice.of); }

Fraction end_of(const Slice& slice) noexcept {
  return reduced(std::uint32_t{slice.first} + slice.count, slice.of);
}

bool same_part(const Slice& a, const Slice& b) noexcept {
  return begin_of(a) == begin_of(b) && end_of(a) == end_of(b);
}

Partition::Partition(const Schedule& schedule) : cuts_{{0, 1}, {1, 1}} {
  const auto add = [this](const Slice& slice) {
    cuts_.push_back(begin_of(slice));
    cuts_.push_back(end_of(slice));
  };
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    if (const auto part = input_part(schedule, rank)) add(*part);
    if (const auto part = output_part(schedule, rank)) add(*part);
    for (const Operation& operation : schedule.programs[static_cast<std::size_t>(rank)]) {
      if (names_data(operation)) add(operation.dst);
    }
  }
  std::sort(cuts_.begin(), cuts_.end());
  cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
}

int Partition::index_of(Fraction cut) const noexcept {
  return static_cast<int>(std::lower_bound(cuts_.begin(), cuts_.end(), cut) - cuts_.begin());
}

Range Partition::range(const Slice& slice) const noexcept {
  return {index_of(begin_of(slice)), index_of(end_of(slice))};
}

}  // namespace roce::schedule::proof

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/collective_case.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "src/reduce/fold.hpp"
#include "tests/support/reduce_reference.hpp"

namespace roce::tests {
namespace {

bool reduces(Collective collective) {
  return collective == Collective::AllReduce || collective == Collective::ReduceScatter;
}
bool integer(DataType type) { return static_cast<int>(type) < static_cast<int>(DataType::Float16); }

/// Unit roundoff and the smallest positive value of a float type.
struct Precision {
  double roundoff;
  double smallest;
};
Precision precision(DataType type) {
  switch (type) {
    case DataType::Float16:
      return {0x1p-11, 0x1p-24};
    case DataType::BFloat16:
      return {0x1p-8, 0x1p-133};
    case DataType::Float8E4M3:
      return {0x1p-4, 0x1p-9};
    case DataType::Float8E5M2:
      return {0x1p-3, 0x1p-16};
    case DataType::Float64:
      return {0x1p-53, std::numeric_limits<double>::denorm_min()};
    default:
      return {0x1p-24, std::numeric_limits<float>::denorm_min()};
  }
}

/// Whole types' patterns for integers; floats of either sign whose products and sums over 16 ranks
/// stay within the narrowest format.
Bytes random_input(DataType type, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t size = size_of(type);
  Bytes bytes(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = random();
    if (integer(type)) {
      std::memcpy(bytes.data() + i * size, &bits, size);
      continue;
    }
    const double magnitude = 0.75 + static_cast<double>(bits >> 12U) * 0x1p-53;
    reduce::from_double(type, (bits & 1U) != 0 ? -magnitude : magnitude, bytes.data() + i * size);
  }
  return bytes;
}

template <typename T>
ReduceOp integer_factor(int rank) {
  return ReduceOp::premul_sum(static_cast<T>(T{3} + T{5} * static_cast<T>(rank)));
}

ReduceOp premul(DataType type, int rank) {
  switch (type) {
    case DataType::Int8:
      return integer_factor<std::int8_t>(rank);
    case DataType::Uint8:
      return integer_factor<std::uint8_t>(rank);
    case DataType::Int32:
      return integer_factor<std::int32_t>(rank);
    case DataType::Uint32:
      return integer_factor<std::uint32_t>(rank);
    case DataType::Int64:
      return integer_factor<std::int64_t>(rank);
    case DataType::Uint64:
      return integer_factor<std::uint64_t>(rank);
    case DataType::Float64:
      return ReduceOp::premul_sum(0.3 + 0.07 * rank);
    default:
      return ReduceOp::premul_sum(0.3F + 0.07F * static_cast<float>(rank));
  }
}

}  // namespace

std::size_t CollectiveCase::in_bytes() const {
  const auto blocks =
      spec.collective == Collective::ReduceScatter ? static_cast<std::size_t>(ranks) : 1;
  return spec.count * element() * blocks;
}

std::size_t CollectiveCase::out_bytes() const {
  const auto blocks =
      spec.collective == Collective::AllGather ? static_cast<std::size_t>(ranks) : 1;
  return spec.count * element() * blocks;
}

ReduceOp CollectiveCase::op_of(int rank) const {
  return spec.op.kind() == ReduceOp::Kind::PremulSum ? premul(spec.type, rank) : spec.op;
}

std::string CollectiveCase::text() const {
  return fmt::format("{}/{} of {} ranks, {} {} {}, root {}, {}, misaligned by {}, seed {}",
                     to_string(spec.collective), spec.schedule, ranks, spec.count,
                     to_string(spec.type), to_string(spec.op.kind()), spec.root,
                     in_place ? "in place" : "out of place", misalignment, seed);
}

ExpectedResult::ExpectedResult(const CollectiveCase& what) : what_(what) {
  const std::size_t elements = what.in_bytes() / what.element();
  for (int rank = 0; rank < what.ranks; ++rank) {
    inputs_.push_back(
        random_input(what.spec.type, elements, what.seed * 64 + static_cast<std::uint64_t>(rank)));
  }
  switch (what.spec.collective) {
    case Collective::AllReduce:
    case Collective::ReduceScatter:
      fold_in_rank_order();
      return;
    case Collective::AllGather:
      for (const Bytes& input : inputs_) exact_.insert(exact_.end(), input.begin(), input.end());
      return;
    case Collective::Broadcast:
      exact_ = input(what.spec.root);
      return;
    case Collective::Barrier:
      return;
  }
}

void ExpectedResult::fold_in_rank_order() {
  const ReduceOp::Kind kind = what_.spec.op.kind();
  const std::size_t elements = what_.in_bytes() / what_.element();
  contributed_ = inputs_;
  if (kind == ReduceOp::Kind::PremulSum) {
    for (int rank = 0; rank < what_.ranks; ++rank) {
      Bytes& input = contributed_[static_cast<std::size_t>(rank)];
      const reduce::FoldOptions options{1, what_.op_of(rank).factor_bits(), 1};
      input = test::reference_fold(what_.spec.type, kind, {input}, elements, options);
    }
  }
  const bool bounded = !integer(what_.spec.type) && what_.numerics == Numerics::Agreed &&
                       kind != ReduceOp::Kind::Min && kind != ReduceOp::Kind::Max;
  if (bounded || elements == 0) return;
  const auto divisor = kind == ReduceOp::Kind::Avg ? static_cast<std::uint32_t>(what_.ranks) : 1U;
  exact_ = test::reference_fold(what_.spec.type, kind, contributed_, elements, {0, 0, divisor});
}

std::string ExpectedResult::problem(int rank, std::span<const std::byte> output) const {
  const std::size_t first =
      what_.spec.collective == Collective::ReduceScatter ? rank * output.size() : 0;
  if (reduces(what_.spec.collective) && exact_.empty()) {
    return outside_bound(first / what_.element(), output);
  }
  const auto expected = std::span(exact_).subspan(first, output.size());
  const auto differs = std::mismatch(output.begin(), output.end(), expected.begin());
  if (differs.first == output.end()) return {};
  const auto element =
      static_cast<std::size_t>(differs.first - output.begin()) / what_.element() * what_.element();
  return fmt::format("element {} is {} instead of {}", element / what_.element(),
                     reduce::to_double(what_.spec.type, output.data() + element),
                     reduce::to_double(what_.spec.type, expected.data() + element));
}

std::string ExpectedResult::outside_bound(std::size_t first_element,
                                          std::span<const std::byte> output) const {
  const auto [roundoff, smallest] = precision(what_.spec.type);
  const ReduceOp::Kind kind = what_.spec.op.kind();
  const bool product = kind == ReduceOp::Kind::Prod;
  const long double ranks = what_.ranks;
  for (std::size_t i = 0; i * what_.element() < output.size(); ++i) {
    long double result = product ? 1 : 0;
    long double scale = result;
    for (const Bytes& input : contributed_) {
      const long double x =
          reduce::to_double(what_.spec.type, input.data() + (first_element + i) * what_.element());
      result = product ? result * x : result + x;
      scale = product ? scale * std::fabs(x) : scale + std::fabs(x);
    }
    if (kind == ReduceOp::Kind::Avg) {
      result /= ranks;
      scale /= ranks;
    }
    // Each of n operands passes at most n roundings on its way: (1 + u)^n - 1, and an underflow
    // each.
    const long double bound =
        scale * std::expm1((ranks + 1) * std::log1p(roundoff)) + 2 * ranks * smallest;
    const long double actual =
        reduce::to_double(what_.spec.type, output.data() + i * what_.element());
    if (std::fabs(actual - result) <= bound) continue;
    return fmt::format("element {} is {}, further from {} than {}", i, actual, result, bound);
  }
  return {};
}

}  // namespace roce::tests

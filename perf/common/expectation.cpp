// SPDX-License-Identifier: Apache-2.0
#include "perf/common/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "perf/common/element.hpp"

namespace roce::perf {
namespace {

using Kind = ReduceOp::Kind;

// The low bits of `bits` as the type's value, sign-extended to 64 bits.
std::uint64_t wrap(DataType type, std::uint64_t bits) {
  const auto unused = static_cast<int>(64 - 8 * size_of(type));
  if (!is_signed_integer(type)) return bits << unused >> unused;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
}

bool less(DataType type, std::uint64_t a, std::uint64_t b) {
  if (!is_signed_integer(type)) return a < b;
  return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
}

std::uint64_t divide(DataType type, std::uint64_t sum, int ranks) {
  if (!is_signed_integer(type)) return sum / static_cast<std::uint64_t>(ranks);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(sum) / ranks);
}

std::uint64_t reduce_integers(const Pattern& pattern, std::size_t index) {
  const DataType type = pattern.type;
  std::uint64_t result = 0;
  for (int rank = 0; rank < pattern.ranks; ++rank) {
    std::uint64_t x = wrap(type, input_bits(pattern, rank, index));
    if (pattern.op == Kind::PremulSum) {
      x *= static_cast<std::uint64_t>(premul_factor(type, rank));
    }
    if (rank == 0) {
      result = x;
    } else if (pattern.op == Kind::Prod) {
      result *= x;
    } else if (pattern.op == Kind::Min) {
      result = less(type, x, result) ? x : result;
    } else if (pattern.op == Kind::Max) {
      result = less(type, result, x) ? x : result;
    } else {
      result += x;
    }
  }
  result = wrap(type, result);
  return pattern.op == Kind::Avg ? divide(type, result, pattern.ranks) : result;
}

// A float's operands and what the error bounds need to know about them.
struct Operands {
  long double sum = 0;
  long double product = 1;
  long double magnitude_sum = 0;
  long double growth = 1;  // product of the magnitudes above 1
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
  bool integers = true;
};

Operands gather_operands(const Pattern& pattern, std::size_t index) {
  Operands all;
  for (int rank = 0; rank < pattern.ranks; ++rank) {
    double x = decode(pattern.type, input_bits(pattern, rank, index));
    if (pattern.op == Kind::PremulSum) {
      x = decode(pattern.type, encode(pattern.type, x * premul_factor(pattern.type, rank)));
    }
    all.sum += x;
    all.product *= x;
    all.magnitude_sum += std::fabs(x);
    all.growth *= std::max(1.0, std::fabs(x));
    all.least = std::min(all.least, x);
    all.greatest = std::max(all.greatest, x);
    all.integers = all.integers && x == std::floor(x);
  }
  return all;
}

struct Interval {
  long double middle;
  long double radius;
};

// Unit roundoffs of the accumulator and the type, and the type's least step.
struct Rounding {
  long double accumulator;
  long double type;
  long double step;

  explicit Rounding(DataType data_type) {
    const FloatFormat format = format_of(data_type);
    type = std::ldexp(1.0L, -format.mantissa_bits - 1);
    accumulator = size_of(data_type) < 4 ? std::ldexp(1.0L, -24) : type;
    step = std::ldexp(1.0L, 2 - (1 << (format.exponent_bits - 1)) - format.mantissa_bits);
  }
};

// The relative error of one result after a rounding (or, by class, several) for each rank.
long double relative_error(const Rounding& unit, Numerics numerics, int ranks) {
  if (numerics == Numerics::RankOrdered) {
    return std::pow(1 + unit.accumulator, static_cast<long double>(ranks)) * (1 + unit.type) - 1;
  }
  const long double each = (1 + unit.type) * (1 + unit.accumulator);
  return std::pow(each, static_cast<long double>(ranks)) - 1;
}

Interval sum_interval(const Operands& all, const Rounding& unit, Numerics numerics, int ranks) {
  const bool exact = all.integers && all.magnitude_sum <= 1 / unit.type;
  if (exact) return {all.sum, 0};
  const long double steps = numerics == Numerics::RankOrdered ? 1 : ranks;
  long double radius = unit.step * steps;
  if (numerics == Numerics::RankOrdered) {
    // Only the accumulator's errors scale with the operands; the last rounding scales with the sum.
    const long double folded = all.magnitude_sum * ranks * unit.accumulator;
    radius += folded * 1.01L + unit.type * (std::fabs(all.sum) + folded);
  } else {
    radius += all.magnitude_sum * relative_error(unit, numerics, ranks);
  }
  return {all.sum, radius};
}

Interval product_interval(const Operands& all, const Rounding& unit, Numerics numerics, int ranks,
                          bool powers_of_two) {
  if (powers_of_two) return {all.product, 0};
  const long double relative = std::fabs(all.product) * relative_error(unit, numerics, ranks);
  return {all.product, relative + unit.step * ranks * all.growth};
}

Interval average_interval(const Operands& all, const Rounding& unit, Numerics numerics, int ranks) {
  const Interval sum = sum_interval(all, unit, numerics, ranks);
  const long double middle = sum.middle / ranks;
  const long double division = (unit.type + unit.accumulator) * (std::fabs(middle) + sum.radius);
  return {middle, sum.radius / ranks + division + unit.step};
}

Interval reduce_floats(const Pattern& pattern, Numerics numerics, std::size_t index) {
  const Operands all = gather_operands(pattern, index);
  const Rounding unit(pattern.type);
  switch (pattern.op) {
    case Kind::Min:
      return {all.least, 0};
    case Kind::Max:
      return {all.greatest, 0};
    case Kind::Prod:
      return product_interval(all, unit, numerics, pattern.ranks, index % 2 == 1);
    case Kind::Avg:
      return average_interval(all, unit, numerics, pattern.ranks);
    case Kind::Sum:
    case Kind::PremulSum:
      break;
  }
  return sum_interval(all, unit, numerics, pattern.ranks);
}

void append(Expectation& expected, const Interval& interval) {
  const FloatFormat format = format_of(expected.type);
  const long double limit = format.saturates ? static_cast<long double>(format.largest)
                                             : std::numeric_limits<long double>::infinity();
  const auto bound = [limit](long double x) {
    return static_cast<double>(std::clamp(x, -limit, limit));
  };
  expected.low.push_back(bound(interval.middle - interval.radius));
  expected.high.push_back(bound(interval.middle + interval.radius));
}

}  // namespace

Expectation expect_reduction(const Pattern& pattern, Numerics numerics, std::size_t elements) {
  Expectation expected{.type = pattern.type, .bytes = {}, .low = {}, .high = {}};
  if (!is_float(pattern.type)) expected.bytes.resize(elements * size_of(pattern.type));
  for (std::size_t i = 0; i < elements; ++i) {
    if (is_float(pattern.type)) {
      append(expected, reduce_floats(pattern, numerics, i));
    } else {
      store(pattern.type, reduce_integers(pattern, i), expected.bytes.data(), i);
    }
  }
  return expected;
}

Expectation expect_input(const Pattern& pattern, int rank, std::size_t elements) {
  return {
      .type = pattern.type, .bytes = input_table(pattern, rank, elements), .low = {}, .high = {}};
}

}  // namespace roce::perf

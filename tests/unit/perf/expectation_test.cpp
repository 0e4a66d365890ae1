// SPDX-License-Identifier: Apache-2.0
#include "perf/common/expectation.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "perf/common/check.hpp"
#include "perf/common/element.hpp"
#include "tests/catch.hpp"

namespace {

using namespace roce::perf;
using roce::DataType;
using roce::Numerics;
using Kind = roce::ReduceOp::Kind;

constexpr std::size_t elements = 600;

// A left fold over ranks that rounds to the type at each step, as the worst allowed schedule does,
// or only at the end in float (double for Float64).
double fold(const Pattern& pattern, std::size_t i, bool round_each) {
  const auto round = [&](double x) { return decode(pattern.type, encode(pattern.type, x)); };
  const auto accumulate = [&](double x) {
    if (round_each || roce::size_of(pattern.type) >= 4) return round(x);
    return static_cast<double>(static_cast<float>(x));
  };
  double result = 0;
  for (int rank = 0; rank < pattern.ranks; ++rank) {
    double x = decode(pattern.type, input_bits(pattern, rank, i));
    if (pattern.op == Kind::PremulSum) x = round(x * premul_factor(pattern.type, rank));
    if (rank == 0) {
      result = x;
    } else if (pattern.op == Kind::Prod) {
      result = accumulate(result * x);
    } else if (pattern.op == Kind::Min) {
      result = std::fmin(result, x);
    } else if (pattern.op == Kind::Max) {
      result = std::fmax(result, x);
    } else {
      result = accumulate(result + x);
    }
  }
  if (pattern.op == Kind::Avg) result = accumulate(result / pattern.ranks);
  return round(result);
}

std::vector<std::byte> folded(const Pattern& pattern, bool round_each) {
  std::vector<std::byte> data(elements * roce::size_of(pattern.type));
  for (std::size_t i = 0; i < elements; ++i) {
    store(pattern.type, encode(pattern.type, fold(pattern, i, round_each)), data.data(), i);
  }
  return data;
}

Pattern pattern_of(int type, int op, int ranks) {
  return {static_cast<DataType>(type), static_cast<Kind>(op), ranks, 7};
}

TEST_CASE("left folds of floats are within the bounds of their numerics class") {
  for (int type = static_cast<int>(DataType::Float16); type < roce::data_type_count; ++type) {
    for (int op = 0; op < roce::reduce_op_count; ++op) {
      for (const int ranks : {1, 2, 3, 8, 13}) {
        const Pattern pattern = pattern_of(type, op, ranks);
        INFO(table_name(pattern.type) << " " << to_string(pattern.op) << " " << ranks);
        const auto ordered = expect_reduction(pattern, Numerics::RankOrdered, elements);
        const auto once = folded(pattern, false);
        CHECK(count_wrong(ordered, 0, once.data(), elements) == 0);
        const auto agreed = expect_reduction(pattern, Numerics::Agreed, elements);
        const auto each = folded(pattern, true);
        CHECK(count_wrong(agreed, 0, each.data(), elements) == 0);
      }
    }
  }
}

TEST_CASE("a float that is one rank short is wrong in most places") {
  for (int type = static_cast<int>(DataType::Float16); type < roce::data_type_count; ++type) {
    for (const Kind op : {Kind::Sum, Kind::Prod, Kind::Avg}) {
      const Pattern all{static_cast<DataType>(type), op, 4, 7};
      std::vector<std::byte> data(elements * roce::size_of(all.type));
      for (std::size_t i = 0; i < elements; ++i) {
        const double last = decode(all.type, input_bits(all, 3, i));
        const double right = fold(all, i, false);
        const double without = op == Kind::Prod  ? right / last
                               : op == Kind::Avg ? right - last / 4
                                                 : right - last;
        store(all.type, encode(all.type, without), data.data(), i);
      }
      INFO(table_name(all.type) << " " << to_string(op));
      const auto expected = expect_reduction(all, Numerics::Agreed, elements);
      CHECK(count_wrong(expected, 0, data.data(), elements) > elements / 5);
    }
  }
}

TEST_CASE("exact places admit no neighbour") {
  const Pattern pattern{DataType::Float8E5M2, Kind::Sum, 8, 3};
  auto data = folded(pattern, false);
  for (std::size_t i = 1; i < elements; i += 2) {
    store(pattern.type, load(pattern.type, data.data(), i) + 1, data.data(), i);
  }
  const auto expected = expect_reduction(pattern, Numerics::Agreed, elements);
  // Of two ranks' small powers of two every sum is exact; one more unit of the last place shows
  // even where it is 2^-16.
  CHECK(count_wrong(expected, 0, data.data(), elements) == elements / 2);
}

TEST_CASE("a NaN is wrong") {
  for (int type = static_cast<int>(DataType::Float16); type < roce::data_type_count; ++type) {
    const Pattern pattern = pattern_of(type, 0, 2);
    const std::vector<std::byte> data(elements * roce::size_of(pattern.type), std::byte{0xff});
    const auto expected = expect_reduction(pattern, Numerics::Agreed, elements);
    CHECK(count_wrong(expected, 0, data.data(), elements) == elements);
  }
}

TEST_CASE("integers wrap, keep their sign and are exact") {
  const Pattern sum{DataType::Int8, Kind::Sum, 3, 1};
  const Pattern average{DataType::Int8, Kind::Avg, 3, 1};
  const auto sums = expect_reduction(sum, Numerics::Agreed, elements);
  const auto averages = expect_reduction(average, Numerics::Agreed, elements);
  std::vector<std::byte> data(elements);
  std::vector<std::byte> divided(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    std::uint64_t total = 0;
    for (int rank = 0; rank < 3; ++rank) total += input_bits(sum, rank, i);
    const auto wrapped = static_cast<signed char>(total & 0xff);
    data[i] = static_cast<std::byte>(wrapped);
    divided[i] = static_cast<std::byte>(wrapped / 3);
  }
  CHECK(count_wrong(sums, 0, data.data(), elements) == 0);
  CHECK(count_wrong(averages, 0, divided.data(), elements) == 0);
  data[17] ^= std::byte{1};
  CHECK(count_wrong(sums, 0, data.data(), elements) == 1);
}

TEST_CASE("moved data is compared from any element on, over the period's end") {
  const Pattern pattern{DataType::Uint32, Kind::Sum, 2, 9};
  const std::size_t count = 2 * pattern_period + 11;
  const auto table = input_table(pattern, 1, pattern_period);
  std::vector<std::byte> whole((count + 5) * 4);
  fill_periodic(table, whole.data(), whole.size());
  const auto expected = expect_input(pattern, 1, pattern_period);
  CHECK(count_wrong(expected, 5, whole.data() + 20, count) == 0);
  CHECK(count_wrong(expected, 4, whole.data() + 20, count) > count - 10);
  CHECK(count_wrong(expected, 0, whole.data(), 0) == 0);
}

}  // namespace

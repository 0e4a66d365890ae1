// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/fold.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/catch.hpp"
#include "tests/support/reduce_reference.hpp"
#include "tests/support/simd_targets.hpp"

namespace {

using roce::DataType;
using roce::ReduceOp;
using roce::reduce::FoldOptions;
using roce::test::SmallFloat;
using Kind = ReduceOp::Kind;

constexpr std::array small_floats{DataType::Float16, DataType::BFloat16, DataType::Float8E4M3,
                                  DataType::Float8E5M2};
constexpr std::array half_floats{DataType::Float16, DataType::BFloat16};
constexpr float infinity = std::numeric_limits<float>::infinity();

template <typename Check>
void on_every_target(const Check& check) {
  for (const std::int64_t target : roce::test::simd_targets()) {
    INFO(roce::test::simd_target_name(target));
    const roce::test::SimdTargetScope scope(target);
    check();
  }
}

/// Folds one element a source, as C++ values of the type.
template <typename T>
T fold_one(DataType type, Kind kind, const std::vector<T>& values,
           const FoldOptions& options = {}) {
  std::vector<const void*> sources;
  for (const T& value : values) sources.push_back(&value);
  T result{};
  roce::reduce::fold_function(type, kind)(&result, sources.data(), sources.size(), 1, options);
  return result;
}

/// The same, with the values converted to the type and the result back.
double fold_values(DataType type, Kind kind, const std::vector<double>& values,
                   const FoldOptions& options = {}) {
  std::vector<std::uint64_t> elements(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    roce::reduce::from_double(type, values[i], &elements[i]);
  }
  const std::uint64_t result = [&] {
    std::vector<const void*> sources;
    for (const std::uint64_t& element : elements) sources.push_back(&element);
    std::uint64_t folded = 0;
    roce::reduce::fold_function(type, kind)(&folded, sources.data(), sources.size(), 1, options);
    return folded;
  }();
  return roce::reduce::to_double(type, &result);
}

std::vector<std::uint32_t> read_elements(DataType type, const std::vector<std::byte>& bytes) {
  const std::size_t size = roce::size_of(type);
  std::vector<std::uint32_t> elements(bytes.size() / size);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::memcpy(&elements[i], bytes.data() + i * size, size);
  }
  return elements;
}

std::vector<std::byte> write_elements(DataType type, const std::vector<std::uint32_t>& elements) {
  const std::size_t size = roce::size_of(type);
  std::vector<std::byte> bytes(elements.size() * size);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::memcpy(bytes.data() + i * size, &elements[i], size);
  }
  return bytes;
}

std::vector<std::uint32_t> fold_patterns(DataType type, Kind kind,
                                         const std::vector<std::vector<std::uint32_t>>& sources,
                                         const FoldOptions& options = {}) {
  std::vector<std::vector<std::byte>> bytes;
  std::vector<const void*> pointers;
  for (const auto& source : sources) bytes.push_back(write_elements(type, source));
  for (const auto& source : bytes) pointers.push_back(source.data());
  std::vector<std::byte> result(bytes[0].size());
  roce::reduce::fold_function(type, kind)(result.data(), pointers.data(), pointers.size(),
                                          sources[0].size(), options);
  return read_elements(type, result);
}

std::vector<std::uint32_t> every_pattern(DataType type) {
  std::vector<std::uint32_t> patterns(SmallFloat::of(type).patterns());
  for (std::uint32_t i = 0; i < patterns.size(); ++i) patterns[i] = i;
  return patterns;
}

/// How many elements of `result` are not the nearest of the type to those of `exact`.
std::size_t wrongly_rounded(DataType type, const std::vector<std::uint32_t>& result,
                            const std::vector<double>& exact) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    wrong += result[i] != SmallFloat::of(type).nearest(exact[i]) ? 1 : 0;
  }
  return wrong;
}

}  // namespace

TEST_CASE("every pattern of a small float survives promotion and demotion") {
  for (const DataType type : small_floats) {
    const SmallFloat& format = SmallFloat::of(type);
    const auto patterns = every_pattern(type);
    std::vector<double> values;
    for (const std::uint32_t bits : patterns) values.push_back(format.value(bits));
    on_every_target([&] {
      INFO(roce::to_string(type));
      CHECK(wrongly_rounded(type, fold_patterns(type, Kind::Max, {patterns, patterns}), values) ==
            0);
    });
  }
}

TEST_CASE("a tie between two neighbours of a small float goes to the even one") {
  FoldOptions halve;
  halve.divisor = 2;
  for (const DataType type : small_floats) {
    const SmallFloat& format = SmallFloat::of(type);
    const std::uint32_t sign = format.patterns() / 2;
    std::vector<std::uint32_t> lower;
    std::vector<std::uint32_t> upper;
    std::vector<double> middle;
    for (std::uint32_t i = 0; i + 1 < format.finite().size(); ++i) {
      for (const std::uint32_t s : {0U, sign}) {
        lower.push_back(s | i);
        upper.push_back(s | (i + 1));
        const auto sum =
            static_cast<float>(format.value(s | i)) + static_cast<float>(format.value(s | (i + 1)));
        middle.push_back(sum / 2);
      }
    }
    on_every_target([&] {
      INFO(roce::to_string(type));
      const auto folded = fold_patterns(type, Kind::Avg, {lower, upper}, halve);
      CHECK(wrongly_rounded(type, folded, middle) == 0);
    });
  }
}

TEST_CASE("demotion rounds a dense sample of floats to nearest even") {
  for (const DataType type : small_floats) {
    const SmallFloat& format = SmallFloat::of(type);
    std::vector<float> sample{0.0F, -0.0F, infinity, -infinity, std::nanf(""), 1e-45F, 3.4e38F};
    for (std::uint64_t bits = 0; bits < (1ULL << 32); bits += 524'309) {
      sample.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    }
    const std::size_t stride = format.finite().size() > 1000 ? 37 : 1;
    for (std::size_t i = 1; i < format.finite().size(); i += stride) {
      const auto middle = static_cast<float>((format.finite()[i] + format.finite()[i - 1]) / 2);
      for (const float near :
           {std::nextafter(middle, 0.0F), middle, std::nextafter(middle, infinity)}) {
        sample.push_back(near);
        sample.push_back(-near);
      }
    }
    const std::vector<std::uint32_t> ones(17, format.nearest(1));
    on_every_target([&] {
      std::size_t wrong = 0;
      for (const float value : sample) {
        FoldOptions options;
        options.premul_mask = 1;
        options.factor_bits = ReduceOp::premul_sum(value).factor_bits();
        const auto folded = fold_patterns(type, Kind::PremulSum, {ones}, options);
        wrong += wrongly_rounded(type, folded, std::vector<double>(ones.size(), value));
      }
      INFO(roce::to_string(type));
      CHECK(wrong == 0);
    });
  }
}

TEST_CASE("the sums that everybody must get right") {
  on_every_target([] {
    CHECK(fold_values(DataType::BFloat16, Kind::Sum, {256, 1, 1, 1}) == 260);
    CHECK(fold_values(DataType::BFloat16, Kind::Sum, {65536, 200, 200, 200}) == 66048);
    CHECK(fold_values(DataType::Float32, Kind::Sum, {1e8, 1, -1e8, 1}) == 1.0);
    CHECK(fold_values(DataType::Float16, Kind::Sum, {2048, 1, 1, 1}) == 2052);
  });
}

TEST_CASE("8-bit floats saturate, 16-bit floats overflow to infinity") {
  const double inf = infinity;
  on_every_target([&] {
    CHECK(fold_values(DataType::Float8E4M3, Kind::Sum, {448, 448}) == 448);
    CHECK(fold_values(DataType::Float8E4M3, Kind::Sum, {-448, -32}) == -448);
    CHECK(fold_values(DataType::Float8E5M2, Kind::Sum, {57344, 57344}) == 57344);
    CHECK(fold_values(DataType::Float16, Kind::Sum, {65504, 16}) == inf);
    CHECK(fold_values(DataType::Float16, Kind::Sum, {65504, 15}) == 65504);
    CHECK(fold_values(DataType::BFloat16, Kind::Prod, {1e30, -1e30}) == -inf);
    // An E5M2 infinity is read as such and is no result: 0x7C is infinity, 0x7B is 57344.
    CHECK(fold_one<std::uint8_t>(DataType::Float8E5M2, Kind::Sum, {0x7C, 0}) == 0x7B);
    CHECK(fold_one<std::uint8_t>(DataType::Float8E5M2, Kind::Sum, {0x7C, 0xFC}) == 0x7F);
  });
}

TEST_CASE("a NaN that results is the canonical one; a copy keeps every bit") {
  const std::uint32_t odd_nan = 0xFFABCDEF;
  on_every_target([&] {
    CHECK(fold_one<std::uint32_t>(DataType::Float32, Kind::Sum, {odd_nan, 0}) == 0x7FC00000);
    CHECK(fold_one<std::uint32_t>(DataType::Float32, Kind::Sum, {0x7F800000, 0xFF800000}) ==
          0x7FC00000);
    CHECK(fold_one<std::uint32_t>(DataType::Float32, Kind::Sum, {odd_nan}) == odd_nan);
    CHECK(fold_one<std::uint16_t>(DataType::BFloat16, Kind::Prod, {0xFFFF, 0x3F80}) == 0x7FC0);
    CHECK(fold_one<std::uint16_t>(DataType::Float16, Kind::Sum, {0xFC01, 0}) == 0x7E00);
  });
}

TEST_CASE("min and max prefer numbers to NaN and the earlier of equals") {
  const float nan = std::nanf("");
  on_every_target([&] {
    for (const Kind kind : {Kind::Min, Kind::Max}) {
      CHECK(fold_one<float>(DataType::Float32, kind, {nan, 3.0F}) == 3.0F);
      CHECK(fold_one<float>(DataType::Float32, kind, {3.0F, nan}) == 3.0F);
      CHECK(std::isnan(fold_one<float>(DataType::Float32, kind, {nan, nan, nan})));
      CHECK(std::signbit(fold_one<float>(DataType::Float32, kind, {-0.0F, 0.0F})));
      CHECK(!std::signbit(fold_one<float>(DataType::Float32, kind, {0.0F, -0.0F})));
      CHECK(std::signbit(fold_one<double>(DataType::Float64, kind, {nan, -0.0, 0.0})));
      CHECK(fold_one<std::uint16_t>(DataType::Float16, kind, {0x8000, 0x0000}) == 0x8000);
    }
    CHECK(fold_one<std::uint64_t>(DataType::Uint64, Kind::Max, {1, ~std::uint64_t{0}}) ==
          ~std::uint64_t{0});
    CHECK(fold_one<std::int8_t>(DataType::Int8, Kind::Min, {1, -128, 127}) == -128);
  });
}

TEST_CASE("integers wrap, and their average truncates towards zero") {
  FoldOptions third;
  third.divisor = 3;
  on_every_target([&] {
    constexpr auto top = std::numeric_limits<std::int32_t>::max();
    CHECK(fold_one<std::int32_t>(DataType::Int32, Kind::Sum, {top, 1}) == -top - 1);
    CHECK(fold_one<std::int8_t>(DataType::Int8, Kind::Prod, {-128, -1}) == -128);
    CHECK(fold_one<std::uint8_t>(DataType::Uint8, Kind::Prod, {16, 17}) == 16);
    CHECK(fold_one<std::int64_t>(DataType::Int64, Kind::Prod, {1LL << 62, 3}) == -(1LL << 62));
    CHECK(fold_one<std::int32_t>(DataType::Int32, Kind::Avg, {-5, -3, 0}, third) == -2);
    CHECK(fold_one<std::int8_t>(DataType::Int8, Kind::Avg, {100, 100, 100}, third) == 14);
    CHECK(fold_one<std::int64_t>(DataType::Int64, Kind::Avg, {-1, -1, 0}, third) == 0);
    CHECK(fold_one<std::uint32_t>(DataType::Uint32, Kind::Avg, {0xFFFFFFFF, 0, 0}, third) ==
          0x55555555);
  });
}

TEST_CASE("a pre-multiplied source is rounded before it is summed") {
  FoldOptions options;
  options.premul_mask = 0b10;
  options.factor_bits = ReduceOp::premul_sum(1.0F + 0x1p-23F).factor_bits();
  // The square of the factor is 1 + 2^-22 + 2^-46; fused, the last term would be left over.
  const float factor = 1.0F + 0x1p-23F;
  on_every_target([&] {
    CHECK(fold_one<float>(DataType::Float32, Kind::PremulSum, {-1.0F - 0x1p-22F, factor},
                          options) == 0.0F);
  });
  options.factor_bits = ReduceOp::premul_sum(1.001F).factor_bits();
  on_every_target([&] {
    CHECK(fold_values(DataType::BFloat16, Kind::PremulSum, {0, 100}, options) == 100);
    CHECK(fold_values(DataType::Float32, Kind::PremulSum, {0, 100}, options) ==
          static_cast<double>(100 * 1.001F));
  });
}

TEST_CASE("nothing is touched when there are no elements") {
  for (int type = 0; type < roce::data_type_count; ++type) {
    for (int kind = 0; kind < roce::reduce_op_count; ++kind) {
      const std::array<const void*, 2> sources{nullptr, nullptr};
      FoldOptions options;
      options.divisor = 2;
      roce::reduce::fold_function(static_cast<DataType>(type), static_cast<Kind>(kind))(
          nullptr, sources.data(), sources.size(), 0, options);
    }
  }
  SUCCEED();
}

TEST_CASE("to_double reads every pattern, from_double gives it back") {
  for (const DataType type : small_floats) {
    const SmallFloat& format = SmallFloat::of(type);
    std::size_t wrong = 0;
    for (const std::uint32_t bits : every_pattern(type)) {
      const double value = roce::reduce::to_double(type, &bits);
      const double expected = format.value(bits);
      wrong += value == expected || (std::isnan(value) && std::isnan(expected)) ? 0 : 1;
      wrong += std::signbit(value) == std::signbit(expected) ? 0 : 1;
      std::uint32_t again = 0;
      roce::reduce::from_double(type, value, &again);
      wrong += again == format.nearest(expected) ? 0 : 1;
    }
    INFO(roce::to_string(type));
    CHECK(wrong == 0);
  }
}

TEST_CASE("from_double rounds once") {
  for (const DataType type : small_floats) {
    const SmallFloat& format = SmallFloat::of(type);
    std::size_t wrong = 0;
    for (std::size_t i = 1; i < format.finite().size(); ++i) {
      const double middle = (format.finite()[i] + format.finite()[i - 1]) / 2;
      for (const double value :
           {std::nextafter(middle, 0.0), middle, std::nextafter(middle, 1e300)}) {
        std::uint32_t bits = 0;
        roce::reduce::from_double(type, value, &bits);
        wrong += bits == format.nearest(value) ? 0 : 1;
      }
    }
    INFO(roce::to_string(type));
    CHECK(wrong == 0);
  }
  for (const DataType type : half_floats) {
    std::uint32_t bits = 0;
    roce::reduce::from_double(type, 1e300, &bits);
    CHECK(std::isinf(roce::reduce::to_double(type, &bits)));
  }
}

TEST_CASE("from_double rounds to nearest integers and clamps") {
  const auto converted = [](DataType type, double value) {
    std::uint64_t element = 0;
    roce::reduce::from_double(type, value, &element);
    return roce::reduce::to_double(type, &element);
  };
  CHECK(converted(DataType::Int8, -2.5) == -2);
  CHECK(converted(DataType::Int8, 1e9) == 127);
  CHECK(converted(DataType::Uint8, -1) == 0);
  CHECK(converted(DataType::Int64, 1e30) == 0x1p63);
  CHECK(converted(DataType::Int64, -1e30) == -0x1p63);
  CHECK(converted(DataType::Uint64, 1e30) == 0x1p64);
  CHECK(converted(DataType::Int32, std::nan("")) == 0);
}

// SPDX-License-Identifier: Apache-2.0
#include "perf/common/element.hpp"

#include <cmath>
#include <limits>

#include "tests/catch.hpp"

namespace {

using namespace roce::perf;
using roce::DataType;

constexpr DataType narrow_types[] = {DataType::Float16, DataType::BFloat16, DataType::Float8E4M3,
                                     DataType::Float8E5M2};

TEST_CASE("every finite narrow float survives decoding and encoding") {
  for (const DataType type : narrow_types) {
    const std::uint64_t patterns = std::uint64_t{1} << (8 * roce::size_of(type));
    for (std::uint64_t bits = 0; bits < patterns; ++bits) {
      const double value = decode(type, bits);
      if (std::isfinite(value)) REQUIRE(encode(type, value) == bits);
    }
  }
}

TEST_CASE("known bits") {
  CHECK(encode(DataType::BFloat16, 1.0) == 0x3f80);
  CHECK(encode(DataType::Float16, 65504) == 0x7bff);
  CHECK(encode(DataType::Float8E4M3, 448) == 0x7e);
  CHECK(encode(DataType::Float8E5M2, 57344) == 0x7b);
  CHECK(decode(DataType::Float16, 1) == std::ldexp(1.0, -24));
  CHECK(decode(DataType::Float8E4M3, 1) == std::ldexp(1.0, -9));
  CHECK(std::isnan(decode(DataType::Float8E4M3, 0x7f)));
  CHECK(std::isinf(decode(DataType::Float8E5M2, 0x7c)));
}

TEST_CASE("ties go to even") {
  CHECK(decode(DataType::BFloat16, encode(DataType::BFloat16, 257)) == 256);
  CHECK(decode(DataType::BFloat16, encode(DataType::BFloat16, 259)) == 260);
  CHECK(decode(DataType::Float8E5M2, encode(DataType::Float8E5M2, 9)) == 8);
  CHECK(decode(DataType::Float8E5M2, encode(DataType::Float8E5M2, 11)) == 12);
}

TEST_CASE("overflow saturates 8-bit floats and makes 16-bit floats infinite") {
  CHECK(decode(DataType::Float8E4M3, encode(DataType::Float8E4M3, -1e9)) == -448);
  CHECK(decode(DataType::Float8E5M2, encode(DataType::Float8E5M2, 1e9)) == 57344);
  CHECK(std::isinf(decode(DataType::Float16, encode(DataType::Float16, 65520))));
  CHECK(decode(DataType::Float16, encode(DataType::Float16, 65519)) == 65504);
}

}  // namespace

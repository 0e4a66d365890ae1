// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "roce/types.hpp"

namespace roce::perf {

/// The benchmarks' own view of the element types, apart from the library's, so that a check of
/// results does not trust what it checks.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;  ///< stored ones
  bool saturates;     ///< to the largest finite value instead of infinity
  double largest;     ///< finite value
};

[[nodiscard]] constexpr bool is_float(DataType type) noexcept { return type >= DataType::Float16; }
[[nodiscard]] constexpr bool is_signed_integer(DataType type) noexcept {
  return type == DataType::Int8 || type == DataType::Int32 || type == DataType::Int64;
}

/// For floats only.
[[nodiscard]] FloatFormat format_of(DataType type) noexcept;

/// The value of a float's bits.
[[nodiscard]] double decode(DataType type, std::uint64_t bits) noexcept;
/// The bits of the float nearest to `value`, ties to even.
[[nodiscard]] std::uint64_t encode(DataType type, double value) noexcept;

/// Low bytes of `bits`, at element `index` of an array of the type. Any alignment.
void store(DataType type, std::uint64_t bits, void* array, std::size_t index) noexcept;
[[nodiscard]] std::uint64_t load(DataType type, const void* array, std::size_t index) noexcept;

/// The name in nccl-tests' tables: "float", "half", "f8e4m3".
[[nodiscard]] std::string_view table_name(DataType type) noexcept;

}  // namespace roce::perf

// SPDX-License-Identifier: Apache-2.0
#include "perf/common/element.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace roce::perf {
namespace {

constexpr int bias_of(const FloatFormat& format) { return (1 << (format.exponent_bits - 1)) - 1; }

// The value without its sign; `magnitude` are the bits below the sign.
double decode_magnitude(DataType type, const FloatFormat& format, std::uint64_t magnitude) {
  const std::uint64_t mantissa = magnitude & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  const auto exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const int all_ones = (1 << format.exponent_bits) - 1;
  if (type == DataType::Float8E4M3) {
    if (magnitude == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == all_ones) {
    return mantissa == 0 ? std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  const bool normal = exponent != 0;
  const std::uint64_t digits = mantissa + (normal ? std::uint64_t{1} << format.mantissa_bits : 0);
  const int power = (normal ? exponent : 1) - bias_of(format) - format.mantissa_bits;
  return std::ldexp(static_cast<double>(digits), power);
}

}  // namespace

FloatFormat format_of(DataType type) noexcept {
  switch (type) {
    case DataType::Float16:
      return {5, 10, false, 65504};
    case DataType::BFloat16:
      return {8, 7, false, std::ldexp(255.0, 120)};
    case DataType::Float8E4M3:
      return {4, 3, true, 448};
    case DataType::Float8E5M2:
      return {5, 2, true, 57344};
    case DataType::Float32:
      return {8, 23, false, std::numeric_limits<float>::max()};
    default:
      return {11, 52, false, std::numeric_limits<double>::max()};
  }
}

double decode(DataType type, std::uint64_t bits) noexcept {
  if (type == DataType::Float64) return std::bit_cast<double>(bits);
  if (type == DataType::Float32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  const FloatFormat format = format_of(type);
  const int sign_bit = format.exponent_bits + format.mantissa_bits;
  const std::uint64_t sign = std::uint64_t{1} << sign_bit;
  const double magnitude = decode_magnitude(type, format, bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

std::uint64_t encode(DataType type, double value) noexcept {
  if (type == DataType::Float64) return std::bit_cast<std::uint64_t>(value);
  if (type == DataType::Float32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const FloatFormat format = format_of(type);
  const int bias = bias_of(format);
  const std::uint64_t sign =
      std::signbit(value) ? std::uint64_t{1} << (format.exponent_bits + format.mantissa_bits) : 0;
  const std::uint64_t infinity = ((std::uint64_t{1} << format.exponent_bits) - 1)
                                 << format.mantissa_bits;
  if (std::isnan(value)) return sign | infinity | ((std::uint64_t{1} << format.mantissa_bits) - 1);
  const double magnitude = std::fabs(value);
  // The exponent of the last place that the format keeps at this magnitude.
  const int exponent = magnitude == 0 ? 1 - bias : std::max(std::ilogb(magnitude), 1 - bias);
  const double unit = std::ldexp(1.0, exponent - format.mantissa_bits);
  const double digits = std::nearbyint(magnitude / unit);
  if (digits * unit > format.largest) {
    if (!format.saturates) return sign | infinity;
    return sign | encode(type, format.largest);
  }
  // A mantissa that rounds up to the next power of two carries into the exponent by itself, and a
  // subnormal one has no hidden digit to take away.
  const auto exponent_field =
      static_cast<std::uint64_t>(exponent) + static_cast<std::uint64_t>(bias);
  return sign |
         (((exponent_field - 1) << format.mantissa_bits) + static_cast<std::uint64_t>(digits));
}

void store(DataType type, std::uint64_t bits, void* array, std::size_t index) noexcept {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(static_cast<std::byte*>(array) + index * size_of(type), &bits, size_of(type));
}

std::uint64_t load(DataType type, const void* array, std::size_t index) noexcept {
  std::uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const std::byte*>(array) + index * size_of(type), size_of(type));
  return bits;
}

std::string_view table_name(DataType type) noexcept {
  constexpr std::array<std::string_view, data_type_count> names{
      "int8", "uint8", "int32",  "uint32",   "int64",  "uint64",
      "half", "float", "double", "bfloat16", "f8e4m3", "f8e5m2"};
  return names[static_cast<std::size_t>(type)];
}

}  // namespace roce::perf

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "src/reduce/float_format.hpp"
#include "src/reduce/fold.hpp"

namespace roce::reduce {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

double small_float_to_double(const FloatFormat& format, std::uint32_t bits) noexcept {
  const std::uint32_t magnitude = bits & (format.sign() - 1);
  const auto exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const std::uint32_t mantissa = magnitude & ((1U << format.mantissa_bits) - 1);
  double value = 0;
  if (magnitude >= format.non_finite) {
    const bool infinite = mantissa == 0;
    value = infinite ? std::numeric_limits<double>::infinity() : nan_value;
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - format.bias() - format.mantissa_bits);
  } else {
    value = std::ldexp(mantissa + (1U << format.mantissa_bits),
                       exponent - format.bias() - format.mantissa_bits);
  }
  return (bits & format.sign()) != 0 ? -value : value;
}

std::uint32_t small_float_from_double(const FloatFormat& format, double value) noexcept {
  if (std::isnan(value)) return format.nan;
  const std::uint32_t sign = std::signbit(value) ? format.sign() : 0;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (std::isinf(magnitude)) return sign | format.largest;
  // In units of the last place that the format has at this magnitude; nearbyint rounds to even.
  const int least = 1 - format.bias();
  const int place = std::max(std::ilogb(magnitude), least);
  const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - place));
  // A mantissa rounded up to the next power of two carries into the exponent by itself.
  const double bits = std::ldexp(static_cast<double>(place - least), format.mantissa_bits) + units;
  return sign | static_cast<std::uint32_t>(std::min(bits, static_cast<double>(format.largest)));
}

template <typename T>
T number_from_double(double value) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(value);
  } else {
    if (std::isnan(value)) return 0;
    const double nearest = std::nearbyint(value);
    // 2^digits is exact, unlike max() of the 64-bit types.
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (nearest >= end) return std::numeric_limits<T>::max();
    if (nearest < static_cast<double>(std::numeric_limits<T>::min())) {
      return std::numeric_limits<T>::min();
    }
    return static_cast<T>(nearest);
  }
}

/// Calls `visit` with a null pointer to the C++ type of an element, or with the format of a small
/// float.
template <class Visitor>
auto visit_type(DataType type, const Visitor& visit) noexcept {
  switch (type) {
    case DataType::Int8:
      return visit(static_cast<std::int8_t*>(nullptr));
    case DataType::Uint8:
      return visit(static_cast<std::uint8_t*>(nullptr));
    case DataType::Int32:
      return visit(static_cast<std::int32_t*>(nullptr));
    case DataType::Uint32:
      return visit(static_cast<std::uint32_t*>(nullptr));
    case DataType::Int64:
      return visit(static_cast<std::int64_t*>(nullptr));
    case DataType::Uint64:
      return visit(static_cast<std::uint64_t*>(nullptr));
    case DataType::Float32:
      return visit(static_cast<float*>(nullptr));
    case DataType::Float64:
      return visit(static_cast<double*>(nullptr));
    case DataType::Float16:
      return visit(float16_format);
    case DataType::BFloat16:
      return visit(bfloat16_format);
    case DataType::Float8E4M3:
      return visit(float8_e4m3_format);
    case DataType::Float8E5M2:
      break;
  }
  return visit(float8_e5m2_format);
}

struct ToDouble {
  const void* element;

  template <typename T>
  double operator()(T*) const noexcept {
    T value;
    std::memcpy(&value, element, sizeof value);
    return static_cast<double>(value);
  }
  double operator()(const FloatFormat& format) const noexcept {
    if (format.bits() == 8) {
      return small_float_to_double(
          format, std::to_integer<std::uint32_t>(*static_cast<const std::byte*>(element)));
    }
    std::uint16_t bits = 0;
    std::memcpy(&bits, element, sizeof bits);
    return small_float_to_double(format, bits);
  }
};

struct FromDouble {
  double value;
  void* element;

  template <typename T>
  void operator()(T*) const noexcept {
    const T converted = number_from_double<T>(value);
    std::memcpy(element, &converted, sizeof converted);
  }
  void operator()(const FloatFormat& format) const noexcept {
    const std::uint32_t bits = small_float_from_double(format, value);
    if (format.bits() == 8) {
      *static_cast<std::uint8_t*>(element) = static_cast<std::uint8_t>(bits);
    } else {
      const auto half = static_cast<std::uint16_t>(bits);
      std::memcpy(element, &half, sizeof half);
    }
  }
};

}  // namespace

double to_double(DataType type, const void* element) noexcept {
  return visit_type(type, ToDouble{element});
}

void from_double(DataType type, double value, void* element) noexcept {
  visit_type(type, FromDouble{value, element});
}

}  // namespace roce::reduce

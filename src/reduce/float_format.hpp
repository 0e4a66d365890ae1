// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace roce::reduce {

/// The layout of a binary floating-point format of at most 16 bits: sign, exponent, mantissa, with
/// subnormals; and what the library does at its upper end.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  std::uint32_t largest;     ///< what a magnitude too large becomes
  std::uint32_t non_finite;  ///< the least magnitude that is an infinity or a NaN
  std::uint32_t nan;         ///< the NaN that results have

  [[nodiscard]] constexpr int bits() const noexcept { return 1 + exponent_bits + mantissa_bits; }
  [[nodiscard]] constexpr int bias() const noexcept { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] constexpr std::uint32_t sign() const noexcept { return 1U << (bits() - 1); }
};

/// IEEE 754 binary16: overflows to infinity.
inline constexpr FloatFormat float16_format{5, 10, 0x7C00, 0x7C00, 0x7E00};
/// The upper half of binary32: overflows to infinity.
inline constexpr FloatFormat bfloat16_format{8, 7, 0x7F80, 0x7F80, 0x7FC0};
/// OCP OFP8 E4M3: no infinity, one NaN a sign; saturates to 448.
inline constexpr FloatFormat float8_e4m3_format{4, 3, 0x7E, 0x7F, 0x7F};
/// OCP OFP8 E5M2: infinities are read, but results saturate to 57344.
inline constexpr FloatFormat float8_e5m2_format{5, 2, 0x7B, 0x7C, 0x7F};

}  // namespace roce::reduce

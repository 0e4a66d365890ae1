// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "roce/types.hpp"

namespace roce::reduce {

/// What a fold does besides folding. Prod, Max and Min take no notice of it.
struct FoldOptions {
  /// Sources whose bit is set are first multiplied by `factor_bits` and rounded to the element type
  /// (PremulSum on the user's own input); the product of 16- and 8-bit floats is formed in fp32.
  /// Sources after the 64th are never multiplied.
  std::uint64_t premul_mask = 0;
  std::uint64_t factor_bits = 0;  ///< as ReduceOp::factor_bits
  /// The result is divided by this before it is rounded (Avg on a completing reduce); integers
  /// truncate towards zero. 1 does nothing.
  std::uint32_t divisor = 1;
};

/// dst[i] = round(op over sources, left to right), in fp32 for 16- and 8-bit floats, in the type
/// itself otherwise (integers wrap). `source_count` >= 1; with one source it copies, scales or
/// divides. Any alignment and any count. `dst` may equal any source exactly; other overlap is not
/// allowed. Min and Max prefer a number to a NaN and keep the earlier operand on a tie. Never
/// throws.
///
/// Element i has the same bits for any count, alignment and processor: a NaN that results is the
/// positive quiet one of the type, whatever NaN caused it. A copy keeps every bit.
/// Float8E5M2 infinities are read as such, but infinite results saturate like all others.
using FoldFunction = void (*)(void* dst, const void* const* sources, std::size_t source_count,
                              std::size_t count, const FoldOptions& options) noexcept;

/// The kernel for a type and operator on this processor. PremulSum and Avg fold like Sum.
/// Look it up once, when a plan is compiled; thread-safe.
[[nodiscard]] FoldFunction fold_function(DataType type, ReduceOp::Kind kind) noexcept;

/// Conversions with the library's rounding rules: to nearest even in one step, 8-bit formats
/// saturate. from_double rounds to the nearest integer, clamps to the range, and makes 0 of a NaN
/// for integers. For tests and checks; `element` has size_of(type) bytes and needs no alignment.
[[nodiscard]] double to_double(DataType type, const void* element) noexcept;
void from_double(DataType type, double value, void* element) noexcept;

}  // namespace roce::reduce

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "roce/export.hpp"

namespace roce {

/// Element types. The values equal those of `ncclDataType_t`, so that a cast converts.
///
/// 16- and 8-bit floats are accumulated in fp32 and rounded once, to nearest even. Float8E4M3 is
/// the "fn" format of OCP OFP8 (no infinity); both 8-bit formats saturate to the largest finite
/// value.
enum class DataType : std::uint8_t {
  Int8 = 0,
  Uint8 = 1,
  Int32 = 2,
  Uint32 = 3,
  Int64 = 4,
  Uint64 = 5,
  Float16 = 6,
  Float32 = 7,
  Float64 = 8,
  BFloat16 = 9,
  Float8E4M3 = 10,
  Float8E5M2 = 11,
};
inline constexpr int data_type_count = 12;

/// Bytes of one element.
[[nodiscard]] constexpr std::size_t size_of(DataType type) noexcept {
  constexpr std::uint8_t sizes[data_type_count] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return sizes[static_cast<std::size_t>(type)];
}

/// The collectives that this library has.
enum class Collective : std::uint8_t { AllReduce, AllGather, ReduceScatter, Broadcast, Barrier };
inline constexpr int collective_count = 5;

/// How a schedule's result depends on the order of the operands.
enum class Numerics : std::uint8_t {
  /// The left fold over ranks 0..n-1 with one rounding, the same bits on every rank.
  RankOrdered,
  /// The same bits on every rank, but of another association of the operands.
  Agreed,
};

/// A reduction operator: a kind and, for PremulSum, a factor.
class ReduceOp {
 public:
  /// The values of the first five equal those of `ncclRedOp_t`.
  enum class Kind : std::uint8_t { Sum = 0, Prod = 1, Max = 2, Min = 3, Avg = 4, PremulSum = 5 };

  constexpr ReduceOp() noexcept = default;
  /// Any kind but PremulSum, whose factor is 0 this way.
  constexpr ReduceOp(Kind kind) noexcept : kind_(kind) {}  // NOLINT(google-explicit-constructor)

  /// The sum of the inputs, each multiplied by the factor of the rank it comes from. The product is
  /// rounded to the element type before it is summed, as NCCL's PreMulSum does.
  ///
  /// `factor` has the C++ type of the elements; for 16- and 8-bit floats it is a float.
  template <typename T>
  [[nodiscard]] static ReduceOp premul_sum(T factor) noexcept {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= sizeof(std::uint64_t));
    ReduceOp op(Kind::PremulSum);
    std::memcpy(&op.factor_bits_, &factor, sizeof factor);
    return op;
  }

  [[nodiscard]] constexpr Kind kind() const noexcept { return kind_; }
  /// The factor's bytes in the low bytes: the element's own type, or float for 16- and 8-bit
  /// floats.
  [[nodiscard]] constexpr std::uint64_t factor_bits() const noexcept { return factor_bits_; }
  friend constexpr bool operator==(const ReduceOp&, const ReduceOp&) noexcept = default;

 private:
  std::uint64_t factor_bits_ = 0;
  Kind kind_ = Kind::Sum;
};
inline constexpr int reduce_op_count = 6;

/// Names as users type them: "float32", "bfloat16", "sum", "all_reduce", "rank_ordered".
[[nodiscard]] ROCE_API std::string_view to_string(DataType type) noexcept;
[[nodiscard]] ROCE_API std::string_view to_string(ReduceOp::Kind kind) noexcept;
[[nodiscard]] ROCE_API std::string_view to_string(Collective collective) noexcept;
[[nodiscard]] ROCE_API std::string_view to_string(Numerics numerics) noexcept;

/// The inverse of to_string. Also accepts nccl-tests' names ("float", "half", "double", "int8",
/// "fp8e4m3", "all_reduce"). Throws roce::Error (InvalidArgument) that lists the valid names.
[[nodiscard]] ROCE_API DataType parse_data_type(std::string_view text);
[[nodiscard]] ROCE_API ReduceOp::Kind parse_reduce_op(std::string_view text);
[[nodiscard]] ROCE_API Collective parse_collective(std::string_view text);
[[nodiscard]] ROCE_API Numerics parse_numerics(std::string_view text);

}  // namespace roce

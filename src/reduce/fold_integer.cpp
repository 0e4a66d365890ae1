// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/reduce/fold_integer.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "src/reduce/element_codec-inl.hpp"
#include "src/reduce/fold-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace roce::reduce::HWY_NAMESPACE {
namespace {

// Sums and products are those of the unsigned type: both wrap.
template <typename T>
FoldFunction find_integer_of(ReduceOp::Kind kind) {
  using Codec = IntegerCodec<std::make_unsigned_t<T>>;
  using MulCodec = std::conditional_t<sizeof(T) == 1, WideByteCodec, Codec>;
  switch (kind) {
    case ReduceOp::Kind::Prod:
      return fold<MulCodec, ProdOperator>;
    case ReduceOp::Kind::Max:
      return fold<IntegerCodec<T>, MaxOperator>;
    case ReduceOp::Kind::Min:
      return fold<IntegerCodec<T>, MinOperator>;
    default:
      return fold_sum<Codec, MulCodec, T>;
  }
}

FoldFunction find_integer(DataType type, ReduceOp::Kind kind) {
  switch (type) {
    case DataType::Int8:
      return find_integer_of<std::int8_t>(kind);
    case DataType::Uint8:
      return find_integer_of<std::uint8_t>(kind);
    case DataType::Int32:
      return find_integer_of<std::int32_t>(kind);
    case DataType::Uint32:
      return find_integer_of<std::uint32_t>(kind);
    case DataType::Int64:
      return find_integer_of<std::int64_t>(kind);
    default:
      return find_integer_of<std::uint64_t>(kind);
  }
}

}  // namespace
}  // namespace roce::reduce::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roce::reduce {

HWY_EXPORT(find_integer);

FoldFunction integer_kernel(DataType type, ReduceOp::Kind kind) noexcept {
  return HWY_DYNAMIC_DISPATCH(find_integer)(type, kind);
}

}  // namespace roce::reduce
#endif

// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/reduce/fold_float8.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "src/reduce/fold-inl.hpp"
#include "src/reduce/small_float_codec-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace roce::reduce::HWY_NAMESPACE {
namespace {

FoldFunction find_float8(DataType type, ReduceOp::Kind kind) {
  return type == DataType::Float8E4M3 ? find_float<Float8E4M3Codec>(kind)
                                      : find_float<Float8E5M2Codec>(kind);
}

}  // namespace
}  // namespace roce::reduce::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roce::reduce {

HWY_EXPORT(find_float8);

FoldFunction float8_kernel(DataType type, ReduceOp::Kind kind) noexcept {
  return HWY_DYNAMIC_DISPATCH(find_float8)(type, kind);
}

}  // namespace roce::reduce
#endif

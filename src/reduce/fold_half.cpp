// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/reduce/fold_half.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "src/reduce/fold-inl.hpp"
#include "src/reduce/small_float_codec-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace roce::reduce::HWY_NAMESPACE {
namespace {

FoldFunction find_half(DataType type, ReduceOp::Kind kind) {
  return type == DataType::Float16 ? find_float<Float16Codec>(kind)
                                   : find_float<BFloat16Codec>(kind);
}

}  // namespace
}  // namespace roce::reduce::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roce::reduce {

HWY_EXPORT(find_half);

FoldFunction half_kernel(DataType type, ReduceOp::Kind kind) noexcept {
  return HWY_DYNAMIC_DISPATCH(find_half)(type, kind);
}

}  // namespace roce::reduce
#endif

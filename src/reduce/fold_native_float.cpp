// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/reduce/fold_native_float.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "src/reduce/element_codec-inl.hpp"
#include "src/reduce/fold-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace roce::reduce::HWY_NAMESPACE {
namespace {

FoldFunction find_native_float(DataType type, ReduceOp::Kind kind) {
  return type == DataType::Float32 ? find_float<NativeFloatCodec<float>>(kind)
                                   : find_float<NativeFloatCodec<double>>(kind);
}

}  // namespace
}  // namespace roce::reduce::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roce::reduce {

HWY_EXPORT(find_native_float);

FoldFunction native_float_kernel(DataType type, ReduceOp::Kind kind) noexcept {
  return HWY_DYNAMIC_DISPATCH(find_native_float)(type, kind);
}

}  // namespace roce::reduce
#endif

// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/fold.hpp"

#include "src/reduce/kernels.hpp"

namespace roce::reduce {

FoldFunction fold_function(DataType type, ReduceOp::Kind kind) noexcept {
  switch (type) {
    case DataType::Float32:
    case DataType::Float64:
      return native_float_kernel(type, kind);
    case DataType::Float16:
    case DataType::BFloat16:
      return half_kernel(type, kind);
    case DataType::Float8E4M3:
    case DataType::Float8E5M2:
      return float8_kernel(type, kind);
    default:
      return integer_kernel(type, kind);
  }
}

}  // namespace roce::reduce

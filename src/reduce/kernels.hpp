// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roce/types.hpp"
#include "src/reduce/fold.hpp"

namespace roce::reduce {

// fold_function for the types of one source file each; those files are apart because each is
// compiled for every instruction set.
[[nodiscard]] FoldFunction integer_kernel(DataType type, ReduceOp::Kind kind) noexcept;
[[nodiscard]] FoldFunction native_float_kernel(DataType type, ReduceOp::Kind kind) noexcept;
[[nodiscard]] FoldFunction half_kernel(DataType type, ReduceOp::Kind kind) noexcept;
[[nodiscard]] FoldFunction float8_kernel(DataType type, ReduceOp::Kind kind) noexcept;

}  // namespace roce::reduce

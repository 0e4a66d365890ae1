// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roce::test {

/// The instruction sets that this processor has and the kernels are compiled for.
[[nodiscard]] std::vector<std::int64_t> simd_targets();
[[nodiscard]] std::string simd_target_name(std::int64_t target);

/// While it lives, fold_function chooses among `target` alone.
class SimdTargetScope {
 public:
  explicit SimdTargetScope(std::int64_t target);
  SimdTargetScope(const SimdTargetScope&) = delete;
  SimdTargetScope& operator=(const SimdTargetScope&) = delete;
  ~SimdTargetScope();
};

}  // namespace roce::test

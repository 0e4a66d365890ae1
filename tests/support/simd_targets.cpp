// SPDX-License-Identifier: Apache-2.0
#include "tests/support/simd_targets.hpp"

#include <hwy/targets.h>

namespace roce::test {
namespace {

void choose(std::int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace

std::vector<std::int64_t> simd_targets() { return hwy::SupportedAndGeneratedTargets(); }

std::string simd_target_name(std::int64_t target) { return hwy::TargetName(target); }

SimdTargetScope::SimdTargetScope(std::int64_t target) { choose(target); }
SimdTargetScope::~SimdTargetScope() { choose(0); }

}  // namespace roce::test

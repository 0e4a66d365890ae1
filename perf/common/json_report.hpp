// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "perf/common/options.hpp"
#include "perf/common/result.hpp"

namespace roce::perf {

/// The report of -J, with nccl-tests' keys where it has one. Of the environment it holds only our
/// own ROCE_ variables, and of those no secret.
[[nodiscard]] std::string json_report(const Options& options, const RunResult& result);

}  // namespace roce::perf

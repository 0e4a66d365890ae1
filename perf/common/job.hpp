// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roce/types.hpp"

namespace roce::perf {

/// The whole program of one benchmark: reads the command line and the launcher's environment, runs
/// this process's ranks as threads, reports. Does not throw.
///
/// Returns the exit status: 0; 1 when a result was wrong or anything failed; 2 for a command line
/// that cannot be run.
[[nodiscard]] int run_job(Collective collective, int argc, const char* const* argv);

}  // namespace roce::perf

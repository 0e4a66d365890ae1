// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "perf/common/options.hpp"
#include "perf/common/report.hpp"
#include "roce/communicator.hpp"

namespace roce::perf {

/// Runs all rows on one rank; every rank of the communicator calls it. `report` is rank 0's and
/// null elsewhere. Throws roce::Error.
void run_rank(const Options& options, Communicator& communicator, Report* report);

/// From now on SIGINT ends a -N 0 run after the row it is in, and a second one at once.
void stop_on_interrupt();

}  // namespace roce::perf

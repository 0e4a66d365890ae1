// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "perf/common/operation.hpp"
#include "perf/common/options.hpp"
#include "perf/common/statistics.hpp"
#include "roce/communicator.hpp"

namespace roce::perf {

/// One size, in one of the two placements. Times in microseconds for one operation.
struct Measurement {
  double elapsed_us = 0;  ///< over ranks as -a says
  double cpu_us = 0;      ///< processor time of a rank's thread, over ranks as -a says
  std::optional<IterationStatistics> per_iteration;  ///< with --percentiles
  std::optional<std::size_t> wrong;                  ///< elements on all ranks; empty with -c 0
  PlanInfo plan;
};

/// Times an operation: warm-up, barrier, all iterations together, and with --percentiles each one
/// in a second pass. Collective; every rank gets the same answer. Throws roce::Error.
[[nodiscard]] Measurement measure(Communicator& communicator, Operation& operation,
                                  const Options& options);

}  // namespace roce::perf

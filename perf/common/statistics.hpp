// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace roce::perf {

/// Summary of the times of single iterations, in the unit of the samples.
struct IterationStatistics {
  double min = 0;
  double max = 0;
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
};

/// The smallest sample that at least `percent` of all samples do not exceed (nearest rank).
/// `sorted` ascends and is not empty; 0 < percent <= 100.
[[nodiscard]] double percentile(std::span<const double> sorted, double percent) noexcept;

/// `samples` is not empty.
[[nodiscard]] IterationStatistics summarize(std::span<const double> samples);

}  // namespace roce::perf

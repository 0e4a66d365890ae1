// SPDX-License-Identifier: Apache-2.0
#include "perf/common/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace roce::perf {

double percentile(std::span<const double> sorted, double percent) noexcept {
  const double exact = percent * static_cast<double>(sorted.size()) / 100;
  const auto position = static_cast<std::size_t>(std::ceil(exact));
  return sorted[std::clamp<std::size_t>(position, 1, sorted.size()) - 1];
}

IterationStatistics summarize(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  return {.min = sorted.front(),
          .max = sorted.back(),
          .mean = sum / static_cast<double>(sorted.size()),
          .p50 = percentile(sorted, 50),
          .p95 = percentile(sorted, 95),
          .p99 = percentile(sorted, 99)};
}

}  // namespace roce::perf

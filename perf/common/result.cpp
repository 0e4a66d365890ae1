// SPDX-License-Identifier: Apache-2.0
#include "perf/common/result.hpp"

namespace roce::perf {

Bandwidth bandwidth(Collective collective, std::size_t bytes, int ranks, double us) {
  if (us <= 0) return {};
  const double algorithm = static_cast<double>(bytes) / us / 1e3;
  return {algorithm, algorithm * bus_factor(collective, ranks)};
}

void summarize(const Options& options, RunResult& result) {
  double sum = 0;
  std::size_t measurements = 0;
  result.wrong = 0;
  for (const ResultRow& row : result.rows) {
    for (const Measurement* m : {&row.out_of_place, row.in_place ? &*row.in_place : nullptr}) {
      if (m == nullptr) continue;
      const auto ranks = static_cast<int>(result.ranks.size());
      sum += bandwidth(options.collective, row.shape.size(), ranks, m->elapsed_us).bus;
      ++measurements;
      result.wrong += m->wrong.value_or(0);
    }
  }
  if (measurements > 0) result.average_bus_bandwidth = sum / static_cast<double>(measurements);
}

}  // namespace roce::perf

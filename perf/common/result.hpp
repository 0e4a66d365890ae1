// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perf/common/machine.hpp"
#include "perf/common/measurement.hpp"
#include "perf/common/options.hpp"
#include "perf/common/rank_info.hpp"
#include "perf/common/shape.hpp"

namespace roce::perf {

/// GB/s, of 1e9 bytes.
struct Bandwidth {
  double algorithm = 0;
  double bus = 0;
};

[[nodiscard]] Bandwidth bandwidth(Collective collective, std::size_t bytes, int ranks, double us);

/// One line of the table.
struct ResultRow {
  Shape shape;
  DataType type = DataType::Float32;
  std::string op;  ///< "none" where nothing is reduced
  int root = -1;   ///< -1 where there is none
  Measurement out_of_place;
  std::optional<Measurement> in_place;  ///< a barrier has no places
};

/// What a whole run found; only rank 0 keeps it.
struct RunResult {
  std::string start_time;
  Machine machine;
  std::string transport;
  std::vector<RankInfo> ranks;
  std::vector<ResultRow> rows;
  std::size_t wrong = 0;
  double average_bus_bandwidth = 0;
};

/// Fills in the totals from the rows.
void summarize(const Options& options, RunResult& result);

}  // namespace roce::perf

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "perf/common/options.hpp"
#include "perf/common/result.hpp"

namespace roce::perf {

/// Where rank 0's results go: the table on stdout as they come, files at the end.
class Report {
 public:
  /// Throws roce::Error when a file that is asked for could not be written, or one to compare with
  /// not be read.
  explicit Report(const Options& options);

  /// `ranks` and `transport` are known once the communicator stands. Prints the header.
  void begin(std::vector<RankInfo> ranks, std::string transport);
  void add(ResultRow row);
  /// Prints the footer and writes the files. Throws roce::Error. Returns the exit status.
  [[nodiscard]] int end();

 private:
  void write_plot(const std::string& json) const;

  const Options& options_;
  RunResult result_;
};

}  // namespace roce::perf

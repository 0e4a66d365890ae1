// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace roce::perf {

/// A line of a plot: times by size, sizes ascending and above 0.
struct Series {
  struct Point {
    double bytes = 0;
    double us = 0;
  };
  std::string label;
  std::vector<Point> points;
  bool dashed = false;  ///< so that it shows where it covers another line
};

/// The lines of a -J report: out-of-place and in-place for each type, operator and root. Rows of
/// one size (-N) are averaged. `name` leads the labels unless it is empty. Throws roce::Error
/// (InvalidArgument) when the text is no such report; `name` is in the message.
[[nodiscard]] std::vector<Series> series_of_report(const std::string& text,
                                                   const std::string& name);

/// The same for a file, named after it. Throws roce::Error that names the file.
[[nodiscard]] std::vector<Series> series_of_file(const std::string& path);

}  // namespace roce::perf

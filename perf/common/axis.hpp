// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace roce::perf {

/// A mark of a logarithmic axis. Marks without a label only carry a faint gridline.
struct Tick {
  double value = 0;
  std::string label;
};

/// A logarithmic axis from `low` to `high`, both above 0, low < high.
struct LogAxis {
  double low = 1;
  double high = 10;
  std::vector<Tick> ticks;

  /// 0 at low, 1 at high.
  [[nodiscard]] double position(double value) const noexcept;
};

/// An axis of bytes that spans the values: ends and ticks at powers of two, at most `most_labels`
/// labels, evenly apart.
[[nodiscard]] LogAxis bytes_axis(double least, double greatest, int most_labels);

/// An axis of microseconds that spans the values: ends and ticks at 1, 2 and 5 times powers of ten;
/// over many decades only powers of ten are labelled.
[[nodiscard]] LogAxis time_axis(double least, double greatest);

}  // namespace roce::perf

// SPDX-License-Identifier: Apache-2.0
#include "perf/common/axis.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "perf/common/size.hpp"

namespace roce::perf {
namespace {

constexpr std::array steps{1.0, 2.0, 5.0};

// The value of the n-th step of the series ... 0.5, 1, 2, 5, 10 ...; n = 0 is 1.
double step_value(int n) {
  const int decade = static_cast<int>(std::floor(n / 3.0));
  return steps[static_cast<std::size_t>(n - 3 * decade)] * std::pow(10.0, decade);
}

int step_at_or_below(double value) {
  constexpr double tolerance = 1 + 1e-9;
  int n = 3 * static_cast<int>(std::floor(std::log10(value))) + 3;
  while (step_value(n) > value * tolerance) --n;
  return n;
}

}  // namespace

double LogAxis::position(double value) const noexcept {
  return std::log(value / low) / std::log(high / low);
}

LogAxis bytes_axis(double least, double greatest, int most_labels) {
  const int first = static_cast<int>(std::floor(std::log2(least)));
  int last = static_cast<int>(std::ceil(std::log2(greatest)));
  if (last == first) ++last;
  const int stride = (last - first + most_labels - 1) / most_labels;
  LogAxis axis{std::ldexp(1.0, first), std::ldexp(1.0, last), {}};
  for (int power = first; power <= last; ++power) {
    const double value = std::ldexp(1.0, power);
    const bool labelled = (power - first) % stride == 0;
    axis.ticks.push_back(
        {value, labelled && value >= 1 ? format_size(static_cast<std::size_t>(value)) : ""});
  }
  return axis;
}

LogAxis time_axis(double least, double greatest) {
  const int first = step_at_or_below(least);
  int last = step_at_or_below(greatest);
  if (step_value(last) < greatest || last == first) ++last;
  constexpr int most_labelled_steps = 9;
  const bool only_decades = last - first > most_labelled_steps;
  LogAxis axis{step_value(first), step_value(last), {}};
  for (int n = first; n <= last; ++n) {
    const bool decade = ((n % 3) + 3) % 3 == 0;
    axis.ticks.push_back(
        {step_value(n), decade || !only_decades ? fmt::format("{:.10g}", step_value(n)) : ""});
  }
  return axis;
}

}  // namespace roce::perf

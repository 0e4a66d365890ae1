// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <span>

namespace roce::perf {

/// Microseconds since an arbitrary point, the same for all processes of a host.
[[nodiscard]] inline double now_us() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(now).count();
}

/// Microseconds for `iterations` calls of operation(i) in a row, together.
template <typename Operation>
[[nodiscard]] double time_together(int iterations, Operation&& operation) {
  const double begin = now_us();
  for (int i = 0; i < iterations; ++i) operation(i);
  return now_us() - begin;
}

/// Calls operation(i) once for each element of `microseconds` and stores how long each call took.
/// One reading of the clock ends a call and begins the next, so the calls follow each other as in
/// time_together.
template <typename Operation>
void time_each(std::span<double> microseconds, Operation&& operation) {
  double last = now_us();
  int i = 0;
  for (double& sample : microseconds) {
    operation(i++);
    const double now = now_us();
    sample = now - last;
    last = now;
  }
}

}  // namespace roce::perf

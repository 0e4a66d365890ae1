// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace roce::tests {

/// Measures for how long this machine did not run us while it lives, so that a test with a bound on
/// time does not fail because a virtual machine was paused or the processors were taken.
class StallMeter {
 public:
  using Clock = std::chrono::steady_clock;
  StallMeter() : thread_([this](const std::stop_token& stop) { watch(stop); }) {}

  [[nodiscard]] Clock::duration lost() const noexcept { return Clock::duration(lost_.load()); }

 private:
  void watch(const std::stop_token& stop) {
    constexpr auto step = std::chrono::milliseconds(20);
    for (auto last = Clock::now(); !stop.stop_requested();) {
      std::this_thread::sleep_for(step);
      const auto now = Clock::now();
      if (now - last > 3 * step) lost_ += (now - last - step).count();
      last = now;
    }
  }

  std::atomic<Clock::rep> lost_{0};
  std::jthread thread_;
};

}  // namespace roce::tests

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

namespace roce::bootstrap {

/// A point in time by which something must have happened, and how long that was from the start.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(std::chrono::milliseconds timeout) noexcept
      : timeout_(std::clamp(timeout, std::chrono::milliseconds{0}, longest_)),
        at_(Clock::now() + timeout_) {}

  [[nodiscard]] bool passed() const noexcept { return Clock::now() >= at_; }
  /// Time left, rounded up, never negative.
  [[nodiscard]] std::chrono::milliseconds left() const noexcept {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(at_ - Clock::now());
    return std::max(left, std::chrono::milliseconds{0});
  }
  /// The time left as poll() wants it, `at_most` milliseconds.
  [[nodiscard]] int poll_ms(int at_most) const noexcept {
    return static_cast<int>(std::min(left(), std::chrono::milliseconds{at_most}).count());
  }
  /// The whole span, for messages.
  [[nodiscard]] std::chrono::milliseconds timeout() const noexcept { return timeout_; }

 private:
  static constexpr std::chrono::milliseconds longest_ = std::chrono::hours{24 * 365};
  std::chrono::milliseconds timeout_;
  Clock::time_point at_;
};

}  // namespace roce::bootstrap

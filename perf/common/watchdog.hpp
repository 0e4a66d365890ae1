// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "roce/communicator.hpp"

namespace roce::perf {

/// Aborts a communicator when one test lasts longer than -T. Owns a thread; not on the data path.
class Watchdog {
 public:
  /// `limit` 0 never barks and starts no thread. The communicator must outlive the watchdog.
  Watchdog(Communicator& communicator, std::chrono::seconds limit);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// A new test begins, described by `test` for the message.
  void restart(std::string test);

 private:
  void watch();

  Communicator& communicator_;
  const std::chrono::seconds limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::steady_clock::time_point deadline_;
  std::string test_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace roce::perf

// SPDX-License-Identifier: Apache-2.0
#include "perf/common/watchdog.hpp"

#include <fmt/format.h>

namespace roce::perf {

Watchdog::Watchdog(Communicator& communicator, std::chrono::seconds limit)
    : communicator_(communicator), limit_(limit) {
  restart("setting up");
  if (limit_.count() > 0) thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::restart(std::string test) {
  const std::scoped_lock lock(mutex_);
  deadline_ = std::chrono::steady_clock::now() + limit_;
  test_ = std::move(test);
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!ended_ && std::chrono::steady_clock::now() < deadline_) {
    changed_.wait_until(lock, deadline_);
  }
  if (ended_) return;
  communicator_.abort(
      fmt::format("test timeout: {} took longer than -T {} s", test_, limit_.count()));
}

}  // namespace roce::perf

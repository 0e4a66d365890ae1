// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "roce/roce.hpp"

namespace roce::tests {

/// Settings for tests, independent of the environment.
inline Config test_config() {
  Config config;
  config.timeout = std::chrono::seconds(20);
  config.connect_timeout = std::chrono::seconds(20);
  return config;
}

/// Runs `body` for each rank on a thread of its own, and rethrows the first rank's exception after
/// all have ended.
inline void on_threads(int ranks, const std::function<void(int rank)>& body) {
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          body(rank);
        } catch (...) {
          errors[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
    }
  }
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// Runs `body` with a communicator of `ranks` threads of this process.
inline void with_communicators(int ranks, const Config& config,
                               const std::function<void(Communicator&)>& body) {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  on_threads(ranks, [&](int rank) {
    Communicator communicator(make_tcp_bootstrap(id, rank, ranks, config.connect_timeout), config);
    body(communicator);
  });
}

}  // namespace roce::tests

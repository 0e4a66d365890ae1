// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace roce::test {

/// Runs `body(rank)` in one thread for each rank and waits. What a rank threw comes back by rank;
/// null where it returned.
inline std::vector<std::exception_ptr> run_threads(int size, const std::function<void(int)>& body) {
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(size));
  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(size));
    for (int rank = 0; rank < size; ++rank) {
      threads.emplace_back([rank, &body, &thrown] {
        try {
          body(rank);
        } catch (...) {
          thrown[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
    }
  }
  return thrown;
}

/// The sentence of what was thrown, or nothing.
inline std::string what(const std::exception_ptr& thrown) {
  if (!thrown) return {};
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// A forked rank. Its status is what `body` returns, or 99 with a line on stderr when it throws.
class RankProcess {
 public:
  RankProcess(int rank, const std::function<int(int)>& body) : pid_(::fork()) {
    if (pid_ != 0) return;
    int status = 99;
    try {
      status = body(rank);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    }
    ::_exit(status);
  }
  ~RankProcess() {
    kill();
    (void)wait();
  }
  RankProcess(RankProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  RankProcess& operator=(RankProcess&&) = delete;
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  void kill() const noexcept { send(SIGKILL); }
  void send(int signal) const noexcept {
    if (pid_ > 0) ::kill(pid_, signal);
  }
  /// The exit status, 128 + signal, or -1 when it was waited for before.
  int wait() noexcept {
    if (pid_ <= 0) return -1;
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t pid_;
};

}  // namespace roce::test

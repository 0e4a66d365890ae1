// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/rocectl/file_descriptor.hpp"

namespace roce::rocectl {

/// What to start as a rank.
struct RankCommand {
  std::vector<std::string> arguments;  ///< the program first, looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to this process's
  std::optional<int> core;  ///< of those that this process may use, counted round; else all
  int input = -1;           ///< becomes stdin; -1 is /dev/null
  int output = -1;          ///< becomes stdout; -1 is this process's
  int error = -1;           ///< becomes stderr; -1 is this process's
};

/// A rank's program in a process group of its own, which gets SIGKILL when this process dies.
/// Destroying it kills the group.
class RankProcess {
 public:
  /// Throws ProgramError when the program cannot be started, std::system_error when the system has
  /// no process to give.
  explicit RankProcess(const RankCommand& command);
  ~RankProcess();
  RankProcess(RankProcess&& other) noexcept;
  RankProcess& operator=(RankProcess&&) = delete;
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  /// Notices the program's end without blocking. Returns the wait status once, when it ends.
  [[nodiscard]] std::optional<int> poll_end() noexcept;
  [[nodiscard]] bool running() const noexcept { return running_; }
  /// Collects what has ended of the group. True while a process of it is left, children of the
  /// program included.
  [[nodiscard]] bool poll_group() noexcept;
  /// No effect once poll_group() has found the group gone: its number may be somebody else's then.
  void signal_group(int signal) const noexcept;
  [[nodiscard]] pid_t group() const noexcept { return pid_; }

 private:
  pid_t pid_ = -1;  // -1 once the group is gone
  bool running_ = false;
};

/// A program that exec refused.
class ProgramError : public std::system_error {
 public:
  using std::system_error::system_error;
  /// 127 when there is no such program, else 126, as shells do.
  [[nodiscard]] int exit_status() const noexcept {
    return code() == std::errc::no_such_file_or_directory ? 127 : 126;
  }
};

}  // namespace roce::rocectl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <string>
#include <vector>

#include "src/rocectl/file_descriptor.hpp"

namespace roce::rocectl {

/// This process's stdin for one rank. A file or a pipe is handed on as it is. A terminal is read
/// here and fed through a pipe, because the kernel stops a process in a background group that reads
/// it.
class InputFeed {
 public:
  InputFeed();

  /// What becomes the rank's stdin.
  [[nodiscard]] int rank_end() const noexcept;
  /// Call once the rank has started.
  void rank_started() noexcept { rank_end_.close(); }
  void add_to(std::vector<pollfd>& waiting) const;
  /// Moves what can be moved without blocking.
  void pump();

 private:
  [[nodiscard]] bool may_read() const noexcept;

  FileDescriptor rank_end_;
  FileDescriptor feed_end_;
  std::string pending_;
  bool ended_ = false;
};

}  // namespace roce::rocectl

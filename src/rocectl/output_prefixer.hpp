// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "src/rocectl/file_descriptor.hpp"

namespace roce::rocectl {

/// Passes the lines that come out of a pipe on, each whole and behind a prefix. A line of more than
/// 1 MiB goes on in pieces of that length, each as a line of its own.
class OutputPrefixer {
 public:
  /// Reads `source`, which it owns, and writes to `target`, which it does not.
  OutputPrefixer(FileDescriptor source, int target, std::string prefix);

  /// Reads once and writes the complete lines. At the end of the pipe also writes an incomplete
  /// last line, and closes.
  void pump();
  [[nodiscard]] bool is_open() const noexcept { return source_.is_open(); }
  [[nodiscard]] int fd() const noexcept { return source_.get(); }

 private:
  void write_lines();
  void write_line(std::string_view line);

  FileDescriptor source_;
  int target_;
  std::string prefix_;
  std::string pending_;
};

}  // namespace roce::rocectl

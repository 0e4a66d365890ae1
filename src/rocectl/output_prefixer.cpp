// SPDX-License-Identifier: Apache-2.0
#include "src/rocectl/output_prefixer.hpp"

#include <array>
#include <cerrno>

namespace roce::rocectl {
namespace {

constexpr std::size_t longest_line = std::size_t{1} << 20;

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR && errno != EAGAIN) return;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

OutputPrefixer::OutputPrefixer(FileDescriptor source, int target, std::string prefix)
    : source_(std::move(source)), target_(target), prefix_(std::move(prefix)) {}

void OutputPrefixer::pump() {
  std::array<char, 65'536> buffer;
  const ssize_t count = ::read(source_.get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count > 0) {
    pending_.append(buffer.data(), static_cast<std::size_t>(count));
    write_lines();
    return;
  }
  if (!pending_.empty()) write_line(pending_);
  pending_.clear();
  source_.close();
}

void OutputPrefixer::write_lines() {
  std::string_view rest = pending_;
  for (;;) {
    const auto newline = rest.find('\n');
    if (newline <= longest_line) {
      write_line(rest.substr(0, newline));
      rest.remove_prefix(newline + 1);
    } else if (rest.size() > longest_line) {
      write_line(rest.substr(0, longest_line));
      rest.remove_prefix(longest_line);
    } else {
      break;
    }
  }
  pending_.erase(0, pending_.size() - rest.size());
}

void OutputPrefixer::write_line(std::string_view line) {
  std::string whole;
  whole.reserve(prefix_.size() + line.size() + 1);
  whole.append(prefix_).append(line).push_back('\n');
  write_all(target_, whole);
}

}  // namespace roce::rocectl

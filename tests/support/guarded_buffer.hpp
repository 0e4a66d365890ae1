// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace roce::tests {

/// Bytes at a chosen misalignment with guards on both sides.
class GuardedBuffer {
 public:
  /// `data()` lies `misalignment` bytes after a 64-byte boundary.
  GuardedBuffer(std::size_t bytes, std::size_t misalignment)
      : storage_(bytes + 2 * guard + line + misalignment, mark), bytes_(bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data()) + guard;
    begin_ = guard + (line - address % line) % line + misalignment;
    std::fill_n(data(), bytes, std::byte{0xEE});
  }

  [[nodiscard]] std::byte* data() noexcept { return storage_.data() + begin_; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return std::span(storage_).subspan(begin_, bytes_);
  }
  /// False once something was written outside of the buffer.
  [[nodiscard]] bool intact() const noexcept {
    const auto marked = [](std::byte byte) { return byte == mark; };
    const auto end = storage_.begin() + static_cast<std::ptrdiff_t>(begin_);
    return std::all_of(storage_.begin(), end, marked) &&
           std::all_of(end + static_cast<std::ptrdiff_t>(bytes_), storage_.end(), marked);
  }

 private:
  static constexpr std::size_t guard = 64;
  static constexpr std::size_t line = 64;
  static constexpr std::byte mark{0xA5};
  std::vector<std::byte> storage_;
  std::size_t bytes_;
  std::size_t begin_ = 0;
};

}  // namespace roce::tests

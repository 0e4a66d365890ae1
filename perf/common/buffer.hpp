// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace roce::perf {

/// Page-aligned zeroed memory. Move-only. Pages are taken from the system when first written.
class Buffer {
 public:
  Buffer() noexcept = default;
  /// Throws roce::Error (Resource) with the errno text. `bytes` 0 gives one usable page.
  explicit Buffer(std::size_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t mapped_bytes_ = 0;
};

}  // namespace roce::perf

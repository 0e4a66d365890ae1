// SPDX-License-Identifier: Apache-2.0
#include "perf/common/buffer.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "perf/common/size.hpp"
#include "roce/status.hpp"

namespace roce::perf {

Buffer::Buffer(std::size_t bytes) : mapped_bytes_(std::max<std::size_t>(bytes, 1)) {
  void* mapped =
      ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    throw Error(ErrorCode::Resource, fmt::format("cannot map a buffer of {}: {}; use a smaller -e",
                                                 format_size(bytes), std::strerror(errno)));
  }
  data_ = static_cast<std::byte*>(mapped);
}

Buffer::~Buffer() {
  if (data_ != nullptr) ::munmap(data_, mapped_bytes_);
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  return *this;
}

}  // namespace roce::perf

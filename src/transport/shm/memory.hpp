// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace roce::transport::shm {

/// A mapping of POSIX shared memory; unmapped when the last owner lets go of it.
class Mapping {
 public:
  Mapping(int descriptor, std::size_t bytes, const std::string& name);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

/// The slot memory that this rank offers to its peers: zeroed, under a random name until unlink().
/// Move-only.
class Memory {
 public:
  /// Throws roce::Error (Resource) naming size, operation and errno text.
  explicit Memory(std::size_t bytes);
  ~Memory();
  Memory(Memory&&) noexcept;
  Memory& operator=(Memory&&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::shared_ptr<Mapping>& mapping() const noexcept { return mapping_; }
  /// Removes the name once every peer has mapped it, so that nothing stays behind after a crash.
  void unlink() noexcept;

 private:
  std::string name_;
  std::shared_ptr<Mapping> mapping_;
};

/// Maps a peer's memory by its name. A peer that is a thread of this process gives the same
/// mapping, so that addresses are equal (ThreadSanitizer needs that) and outlive the peer's
/// communicator. Throws roce::Error (Resource); `peer` is for its message.
[[nodiscard]] std::shared_ptr<Mapping> map_peer(const std::string& name, std::size_t bytes,
                                                int peer);

}  // namespace roce::transport::shm

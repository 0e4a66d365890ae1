// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "src/transport/shm/memory.hpp"
#include "src/transport/slot.hpp"

namespace roce::transport::shm {

/// Puts by storing into the peer's mapped slot memory. See transport.hpp for the contract.
class Transport {
 public:
  static constexpr bool reads_source_at_once = true;

  /// `mappings[rank]` is rank's slot memory, this rank's own included.
  Transport(int rank, std::vector<std::shared_ptr<Mapping>> mappings);

  bool put(int peer, std::size_t flag_offset, const std::byte* source, std::size_t bytes,
           Flag epoch) noexcept {
    std::byte* const base = bases_[static_cast<std::size_t>(peer)];
    if (bytes != 0) std::memcpy(base + payload_offset(flag_offset, bytes), source, bytes);
    // Release: whoever sees the epoch in arrived() sees the payload, and that my earlier reads of
    // my own slots are over.
    flag(base + flag_offset).store(epoch, std::memory_order_release);
    return true;
  }
  [[nodiscard]] bool arrived(std::size_t flag_offset, Flag epoch) const noexcept {
    // Acquire: pairs with the release store in the peer's put().
    return flag(memory_ + flag_offset).load(std::memory_order_acquire) == epoch;
  }
  [[nodiscard]] static bool flushed(int /*peer*/) noexcept { return true; }
  [[nodiscard]] std::byte* memory() const noexcept { return memory_; }
  [[nodiscard]] std::size_t ranks() const noexcept { return bases_.size(); }
  [[nodiscard]] static std::string_view name() noexcept { return "shm"; }

 private:
  static std::atomic_ref<Flag> flag(std::byte* address) noexcept {
    return std::atomic_ref<Flag>(*reinterpret_cast<Flag*>(address));
  }
  std::byte* memory_;
  std::vector<std::byte*> bases_;
  std::vector<std::shared_ptr<Mapping>> mappings_;
};

}  // namespace roce::transport::shm

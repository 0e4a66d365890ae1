// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "src/transport/shm/memory.hpp"
#include "src/transport/slot.hpp"
#include "src/transport/slot_write.hpp"
#include "src/transport/transport.hpp"

namespace roce::transport::shm {

/// Puts by storing into the peer's mapped slot memory. See transport.hpp for the contract.
class Transport {
 public:
  static constexpr bool reads_source_at_once = true;
  static constexpr bool shares_slots = true;

  /// `mappings[rank]` is rank's slot memory, this rank's own included; null for ranks that are
  /// reached in another way.
  Transport(int rank, std::vector<std::shared_ptr<Mapping>> mappings);

  bool put(int peer, std::size_t flag_offset, const std::byte* source, std::size_t bytes,
           Flag epoch) noexcept {
    write_slot(bases_[static_cast<std::size_t>(peer)], flag_offset, source, bytes, epoch);
    return true;
  }
  void publish(std::size_t flag_offset, const std::byte* source, std::size_t bytes,
               Flag epoch) noexcept {
    write_slot(memory_, flag_offset, source, bytes, epoch);
  }
  [[nodiscard]] bool arrived(int /*from*/, std::size_t flag_offset, Flag epoch) const noexcept {
    // Acquire: pairs with the release store in the peer's write_slot().
    return flag_at(memory_ + flag_offset).load(std::memory_order_acquire) == epoch;
  }
  [[nodiscard]] bool arrived_from(int peer, std::size_t flag_offset, Flag epoch) const noexcept {
    // Acquire: pairs with the release store in the peer's write_slot().
    return flag_at(memory_of(peer) + flag_offset).load(std::memory_order_acquire) == epoch;
  }
  /// Asks for the line of a flag in a peer's memory, for a look at it soon.
  void expect(int peer, std::size_t flag_offset) const noexcept {
    __builtin_prefetch(memory_of(peer) + flag_offset);
  }
  [[nodiscard]] std::byte* memory_of(int peer) const noexcept {
    return bases_[static_cast<std::size_t>(peer)];
  }
  bool note_processor() noexcept {
    const auto now = static_cast<Flag>(::sched_getcpu());
    if (now == processor_) return false;
    processor_ = now;
    // Relaxed, here and below: a hint about how to wait.
    flag_at(memory_).store(now, std::memory_order_relaxed);
    return true;
  }
  [[nodiscard]] bool on_my_processor(int peer) const noexcept {
    return flag_at(memory_of(peer)).load(std::memory_order_relaxed) == processor_;
  }
  [[nodiscard]] static bool flushed(int /*peer*/) noexcept { return true; }
  static void poll() noexcept {}
  [[nodiscard]] static std::optional<Failure> failure() noexcept { return std::nullopt; }
  [[nodiscard]] static Path describe(int /*peer*/) { return {"shm", "shm", {}}; }
  void clear(std::size_t begin, std::size_t end) noexcept {
    std::memset(memory_ + begin, 0, end - begin);
  }
  [[nodiscard]] std::byte* memory() const noexcept { return memory_; }
  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(bases_.size()); }
  [[nodiscard]] static std::string_view name() noexcept { return "shm"; }

 private:
  std::byte* memory_;
  Flag processor_ = ~Flag{0};
  std::vector<std::byte*> bases_;
  std::vector<std::shared_ptr<Mapping>> mappings_;
};

}  // namespace roce::transport::shm

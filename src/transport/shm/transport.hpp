// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "src/transport/shm/memory.hpp"
#include "src/transport/slot.hpp"
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
    write(bases_[static_cast<std::size_t>(peer)], flag_offset, source, bytes, epoch);
    return true;
  }
  void publish(std::size_t flag_offset, const std::byte* source, std::size_t bytes,
               Flag epoch) noexcept {
    write(memory_, flag_offset, source, bytes, epoch);
  }
  [[nodiscard]] bool arrived(int /*from*/, std::size_t flag_offset, Flag epoch) const noexcept {
    // Acquire: pairs with the release store in the peer's write().
    return flag(memory_ + flag_offset).load(std::memory_order_acquire) == epoch;
  }
  [[nodiscard]] bool arrived_from(int peer, std::size_t flag_offset, Flag epoch) const noexcept {
    // Acquire: pairs with the release store in the peer's write().
    return flag(memory_of(peer) + flag_offset).load(std::memory_order_acquire) == epoch;
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
    flag(memory_).store(now, std::memory_order_relaxed);
    return true;
  }
  [[nodiscard]] bool on_my_processor(int peer) const noexcept {
    return flag(memory_of(peer)).load(std::memory_order_relaxed) == processor_;
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
  static void write(std::byte* memory, std::size_t flag_offset, const std::byte* source,
                    std::size_t bytes, Flag epoch) noexcept {
    std::size_t lines = flagged_lines(bytes);
    for (; lines > 1; --lines) {
      std::byte* const line_flag = memory + flag_offset - (lines - 1) * cache_line;
      std::memcpy(line_flag - stripe, source, stripe);
      source += stripe;
      bytes -= stripe;
      // Release: as below, for this line's part.
      flag(line_flag).store(epoch, std::memory_order_release);
    }
    std::byte* const payload = memory + payload_offset(flag_offset, bytes);
    if (bytes <= stripe) {
      copy_short(payload, source, bytes);
    } else if (source != payload) {
      std::memcpy(payload, source, bytes);
    }
    // Release: whoever sees the epoch sees the payload, and that my earlier reads of slots are
    // over.
    flag(memory + flag_offset).store(epoch, std::memory_order_release);
  }
  /// memcpy for a few words, without a call; dst and source may be one address.
  static void copy_short(std::byte* dst, const std::byte* source, std::size_t bytes) noexcept {
    constexpr std::size_t word = sizeof(std::uint64_t);
    for (; bytes >= word; bytes -= word, dst += word, source += word) {
      std::uint64_t value = 0;
      std::memcpy(&value, source, word);
      std::memcpy(dst, &value, word);
    }
    for (; bytes > 0; --bytes) *dst++ = *source++;
  }
  static std::atomic_ref<Flag> flag(std::byte* address) noexcept {
    return std::atomic_ref<Flag>(*reinterpret_cast<Flag*>(address));
  }
  std::byte* memory_;
  Flag processor_ = ~Flag{0};
  std::vector<std::byte*> bases_;
  std::vector<std::shared_ptr<Mapping>> mappings_;
};

}  // namespace roce::transport::shm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roce/config.hpp"
#include "roce/status.hpp"
#include "src/transport/slot.hpp"
#include "src/transport/transport.hpp"
#include "src/transport/verbs/put_layout.hpp"

namespace roce::transport::verbs {

class Links;
struct LinkText;

/// Puts by RDMA writes into the peer's slot memory. Made by connect(). See
/// src/transport/transport.hpp for the contract; sources must lie in the slot memory that connect()
/// was given.
///
/// A flag word is the epoch, or, for a payload that came in two parts over two rails, the epoch
/// with halves_mark in both parts' flags.
class Transport {
 public:
  static constexpr bool reads_source_at_once = false;
  static constexpr bool shares_slots = false;

  /// `links` are the connections, all ready to use.
  explicit Transport(std::unique_ptr<Links> links);
  /// Waits, for a bounded time, until peers have what was put: one that still waits for it would
  /// never get it.
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  bool put(int peer, std::size_t flag_offset, const std::byte* source, std::size_t bytes,
           Flag epoch) noexcept;
  [[nodiscard]] bool arrived(int /*from*/, std::size_t flag_offset, Flag epoch) const noexcept {
    const Flag flag = announced(flag_offset);
    if (flag == epoch) return true;
    return flag == (epoch | halves_mark) && announced(flag_offset - cache_line) == flag;
  }
  [[nodiscard]] bool flushed(int peer) noexcept;
  void poll() noexcept;
  [[nodiscard]] std::optional<Failure> failure() noexcept;
  [[nodiscard]] Path describe(int peer) const;
  void clear(std::size_t begin, std::size_t end) noexcept;
  [[nodiscard]] std::byte* memory() const noexcept { return memory_; }
  [[nodiscard]] static std::string_view name() noexcept { return "verbs"; }

  /// What all ranks agreed on; never Auto.
  [[nodiscard]] FlagMode flag_mode() const noexcept { return mode_; }
  /// Bytes registered besides the slot memory.
  [[nodiscard]] std::size_t extra_pinned_bytes() const noexcept;

 private:
  /// The flag that stands at an offset, as far as it may be believed.
  [[nodiscard]] Flag announced(std::size_t flag_offset) const noexcept {
    if (mode_ == FlagMode::Imm) return completed_[flag_offset / cache_line];
    // Acquire: what the device placed before the flag is read after it. The release is the
    // device's: it places the payload before the flag (in trailer mode it vouches for the order
    // within a write; in flag mode the two writes of a queue pair are executed in order, and PCIe
    // keeps posted writes without the relaxed ordering attribute, which is never asked for, in
    // order).
    auto* const word = reinterpret_cast<Flag*>(memory_ + flag_offset);
    return std::atomic_ref<Flag>(*word).load(std::memory_order_acquire);
  }

  void poll_sends() noexcept;
  void drain() noexcept;
  void poll_receives() noexcept;
  void believe(std::uint32_t immediate) noexcept;
  [[nodiscard]] std::optional<Failure> look_at_events() noexcept;
  [[nodiscard]] static Failure failure_of(const LinkText& link, std::string message);

  std::unique_ptr<Links> links_;
  std::byte* memory_;
  FlagMode mode_;
  const Flag* completed_;       ///< imm mode: by cache line, the flag whose completion was polled
  std::vector<bool> reported_;  ///< connections whose failure is known
  unsigned polls_ = 0;
  int stranger_ = -1;  ///< a peer of a put without a connection
  bool queue_broken_ = false;
};

}  // namespace roce::transport::verbs

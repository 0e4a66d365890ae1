// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "roce/status.hpp"
#include "src/transport/slot.hpp"
#include "src/transport/slot_write.hpp"
#include "src/transport/transport.hpp"

namespace roce::transport::ucx {

class Links;

/// Puts by UCX active messages, which the receiver writes into its own slot memory while it polls.
/// Made by connect(). See src/transport/transport.hpp for the contract; sources must lie in memory
/// that stays until flushed().
class Transport {
 public:
  static constexpr bool reads_source_at_once = false;
  static constexpr bool shares_slots = false;

  /// `memory` is this rank's slot memory; `links` may be null where there are no peers.
  Transport(std::byte* memory, std::unique_ptr<Links> links);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  bool put(int peer, std::size_t flag_offset, const std::byte* source, std::size_t bytes,
           Flag epoch) noexcept;
  [[nodiscard]] bool arrived(int /*from*/, std::size_t flag_offset, Flag epoch) const noexcept {
    // Acquire: pairs with the release store of write_slot(), by this very thread while it polled,
    // or by the one that polled before.
    return flag_at(memory_ + flag_offset).load(std::memory_order_acquire) == epoch;
  }
  [[nodiscard]] bool flushed(int peer) noexcept;
  void poll() noexcept;
  [[nodiscard]] std::optional<Failure> failure() noexcept;
  [[nodiscard]] Path describe(int peer) const;
  void clear(std::size_t begin, std::size_t end) noexcept;
  [[nodiscard]] std::byte* memory() const noexcept { return memory_; }
  [[nodiscard]] static std::string_view name() noexcept { return "ucx"; }

 private:
  std::byte* memory_;
  std::unique_ptr<Links> links_;
  std::vector<bool> reported_;  ///< by rank: the failure of its connection is known
};

}  // namespace roce::transport::ucx

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/bootstrap/handshake.hpp"
#include "src/bootstrap/wire.hpp"

namespace roce::bootstrap {

/// Where a rank listens: one port, and the addresses to try in turn, best first.
struct Listening {
  std::uint16_t port = 0;
  std::vector<std::string> hosts;
};

/// What rank 0 tells everybody once all have come.
struct Roster {
  Nonce session{};                      ///< makes the keys of this rendezvous its own
  std::chrono::milliseconds budget{0};  ///< how long connecting may take
  std::vector<Listening> ranks;         ///< by rank; rank 0's is empty
};

[[nodiscard]] Bytes encode(const Listening& listening);
[[nodiscard]] Listening decode_listening(std::span<const std::byte> payload);
[[nodiscard]] Bytes encode(const Roster& roster);
[[nodiscard]] Roster decode_roster(std::span<const std::byte> payload);
[[nodiscard]] Bytes encode_ranks(const std::vector<int>& ranks);
[[nodiscard]] std::vector<int> decode_ranks(std::span<const std::byte> payload);

}  // namespace roce::bootstrap

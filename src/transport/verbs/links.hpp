// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "roce/config.hpp"
#include "src/transport/verbs/adapter.hpp"
#include "src/transport/verbs/connection.hpp"
#include "src/transport/verbs/counters.hpp"

namespace roce::transport::verbs {

/// All connections of a rank and what they stand on. Objects that others refer to come first, so
/// that they go last.
class Links {
 public:
  /// A peer's connections: neighbours in `connections`, the one for small puts first.
  struct Peer {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  int rank = 0;
  std::span<std::byte> memory;
  FlagMode mode = FlagMode::Imm;  ///< never Auto
  std::size_t stripe_above = 0;
  std::chrono::microseconds drain{0};  ///< as long as a lost packet may take to arrive after all
  std::vector<Peer> peers;             ///< by rank
  std::vector<std::byte> words;        ///< zeros, then the connections' rings
  std::vector<std::unique_ptr<Adapter>> adapters;
  std::vector<Connection> connections;
  std::map<std::string, PortCounters> counters;  ///< by "device:port"
  std::vector<Flag> completed;                   ///< imm mode: see Transport

  [[nodiscard]] std::span<Connection> of(int peer) noexcept {
    const Peer& entry = peers[static_cast<std::size_t>(peer)];
    return std::span(connections).subspan(entry.first, entry.count);
  }
  [[nodiscard]] std::span<const Connection> of(int peer) const noexcept {
    const Peer& entry = peers[static_cast<std::size_t>(peer)];
    return std::span(connections).subspan(entry.first, entry.count);
  }
};

}  // namespace roce::transport::verbs

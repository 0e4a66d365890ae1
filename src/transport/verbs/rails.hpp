// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/transport/verbs/port_info.hpp"

namespace roce::transport::verbs {

/// A port of mine and one of a peer's that share an on-link subnet: positions in the two lists that
/// rails() was given.
struct Rail {
  std::size_t my_port = 0;
  std::size_t my_gid = 0;  ///< position in the port's gids
  std::size_t peer_port = 0;
  std::size_t peer_gid = 0;

  friend bool operator==(const Rail&, const Rail&) = default;
};

/// The rails between two ranks, each port used once, IPv4 preferred. Both sides get the same rails
/// in the same order. Empty when the ranks share no subnet. Each side's own netmask must have the
/// other's address on link: what a gateway would have to forward is no rail.
[[nodiscard]] std::vector<Rail> rails(const std::vector<PortInfo>& mine,
                                      const std::vector<PortInfo>& peers);

/// "mlx5_0:1 10.0.0.1/24 (enp1s0), mlx5_1:1 ...", for messages.
[[nodiscard]] std::string list_ports(const std::vector<PortInfo>& ports);

}  // namespace roce::transport::verbs

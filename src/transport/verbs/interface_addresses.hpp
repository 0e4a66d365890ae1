// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/transport/verbs/port_info.hpp"

namespace roce::transport::verbs {

/// An address of a network interface of this machine.
struct InterfaceAddress {
  std::string netdev;
  GidBytes address{};  ///< as a GID has it
  int prefix = 0;      ///< of 32 or 128
};

/// All IPv4 and IPv6 addresses. Throws roce::Error (Resource).
[[nodiscard]] std::vector<InterfaceAddress> interface_addresses();

/// The prefix length under which an interface has an address.
[[nodiscard]] std::optional<int> prefix_of(const std::vector<InterfaceAddress>& addresses,
                                           const std::string& netdev, const GidBytes& address);

/// fe80::/10.
[[nodiscard]] bool is_link_local(const GidBytes& gid) noexcept;

}  // namespace roce::transport::verbs

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace roce::transport::verbs {

/// The 16 bytes of a GID in network order; of RoCE v2 they are an IPv6 address, or ::ffff:a.b.c.d.
using GidBytes = std::array<std::uint8_t, 16>;

/// A usable entry of a port's GID table: RoCE v2, with an address that its netdev has.
struct GidInfo {
  int index = 0;
  GidBytes bytes{};
  int prefix = 0;      ///< bits of the on-link prefix: of 32 for IPv4, of 128 for IPv6
  std::string netdev;  ///< that has the address; a VLAN's may differ from the port's

  friend bool operator==(const GidInfo&, const GidInfo&) = default;
};

/// A port that a rank may use: plain data that ranks exchange.
struct PortInfo {
  std::string device;  ///< for example "mlx5_0"
  int port = 1;
  std::string netdev;  ///< of the first GID
  int mtu = 0;         ///< active RDMA MTU in bytes
  int speed = 0;       ///< Mbit/s
  std::vector<GidInfo> gids;

  friend bool operator==(const PortInfo&, const PortInfo&) = default;
};

[[nodiscard]] bool is_ipv4(const GidBytes& gid) noexcept;
/// "10.0.0.1" or "fd00::1".
[[nodiscard]] std::string address_text(const GidBytes& gid);
/// "mlx5_0:1".
[[nodiscard]] std::string port_name(const PortInfo& port);

[[nodiscard]] std::vector<std::byte> to_bytes(const std::vector<PortInfo>& ports);
/// The inverse of to_bytes. Throws roce::Error (Mismatch) that names `rank`, the sender.
[[nodiscard]] std::vector<PortInfo> ports_from_bytes(std::span<const std::byte> bytes, int rank);

}  // namespace roce::transport::verbs

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace roce::topology {

/// An IPv6 address, or an IPv4 one mapped into IPv6 (::ffff:a.b.c.d): what a GID is, too.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};  ///< network order

  /// Reads "10.0.0.1", "fe80::1" or a GID's eight groups. Empty when it is none of them.
  [[nodiscard]] static std::optional<IpAddress> parse(std::string_view text);

  [[nodiscard]] bool is_zero() const noexcept;
  [[nodiscard]] bool is_ipv4() const noexcept;
  /// 169.254.0.0/16 or fe80::/10.
  [[nodiscard]] bool is_link_local() const noexcept;
  /// Not usable between machines: zero, loopback or multicast.
  [[nodiscard]] bool is_special() const noexcept;
  /// "10.0.0.1" or the shortest IPv6 form (RFC 5952).
  [[nodiscard]] std::string text() const;

  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;
};

/// An address and the length of its prefix: 0..32 for IPv4, 0..128 for IPv6.
struct InterfaceAddress {
  IpAddress address;
  int prefix = 0;

  /// The address with all bits behind the prefix zero.
  [[nodiscard]] IpAddress network() const noexcept;
  /// Whether `other` is of the same family and on this link.
  [[nodiscard]] bool contains(const IpAddress& other) const noexcept;
  /// "10.0.0.1/24".
  [[nodiscard]] std::string text() const;

  friend bool operator==(const InterfaceAddress&, const InterfaceAddress&) = default;
};

}  // namespace roce::topology

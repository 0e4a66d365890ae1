// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace roce::bootstrap {

/// An IPv4 or IPv6 address and port.
class Address {
 public:
  Address() noexcept = default;
  Address(const sockaddr* address, socklen_t length) noexcept;
  /// All addresses of this machine; IPv6 takes IPv4 connections too.
  [[nodiscard]] static Address any(int family, std::uint16_t port) noexcept;

  [[nodiscard]] const sockaddr* data() const noexcept;
  [[nodiscard]] socklen_t length() const noexcept { return length_; }
  [[nodiscard]] int family() const noexcept { return storage_.ss_family; }
  [[nodiscard]] std::uint16_t port() const noexcept;
  void set_port(std::uint16_t port) noexcept;
  [[nodiscard]] bool is_loopback() const noexcept;
  /// True for addresses that mean something on one cable only (fe80::/10, 169.254/16).
  [[nodiscard]] bool is_link_local() const noexcept;
  /// The numeric address without the port. IPv4 within IPv6 is printed as IPv4.
  [[nodiscard]] std::string host() const;
  /// "host:port", IPv6 in brackets.
  [[nodiscard]] std::string to_string() const;

 private:
  sockaddr_storage storage_{};
  socklen_t length_ = 0;
};

/// True when `host` is a numeric address or "localhost", so that it means the same on every host.
[[nodiscard]] bool is_literal(std::string_view host) noexcept;

/// The addresses of a name or a numeric host. Blocks as long as the resolver does. Throws Error
/// (Resource) that names the host and the resolver's reason.
[[nodiscard]] std::vector<Address> resolve(const std::string& host, std::uint16_t port);

/// This machine's addresses (ports 0) on interfaces that are up, without loopback and link-local
/// ones, IPv4 first. Empty when there are none.
[[nodiscard]] std::vector<Address> local_addresses();

}  // namespace roce::bootstrap

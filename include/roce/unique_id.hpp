// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "roce/export.hpp"

namespace roce {

/// Where the ranks of one communicator meet, and the secret that a joining rank must prove it
/// knows.
struct UniqueId {
  std::string host;                       ///< name or address of rank 0's host
  std::uint16_t port = 0;                 ///< TCP port on which rank 0 listens
  std::array<std::uint8_t, 16> secret{};  ///< 128 random bits; never sent in clear

  /// A new id: the given host, a port that is free right now on this machine, a random secret.
  /// An empty host is this machine's first non-loopback address, or 127.0.0.1 if it has none.
  /// Throws Error (Resource).
  [[nodiscard]] ROCE_API static UniqueId generate(std::string_view host = {});

  /// "host:port/32 hex digits"; an IPv6 host stands in brackets.
  [[nodiscard]] ROCE_API std::string to_string() const;
  /// The inverse of to_string. Throws Error (InvalidArgument) that says which part is wrong.
  [[nodiscard]] ROCE_API static UniqueId parse(std::string_view text);

  friend bool operator==(const UniqueId&, const UniqueId&) = default;
};

}  // namespace roce

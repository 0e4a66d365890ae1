// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace roce::bootstrap {

using Secret = std::array<std::uint8_t, 16>;

/// "host:port" with an optional "/secret", as people type it.
struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
  std::optional<Secret> secret;
};

/// "host:port", an IPv6 host in brackets.
[[nodiscard]] std::string endpoint_text(std::string_view host, std::uint16_t port);

/// Reads "host:port" or "host:port/secret". Throws Error (InvalidArgument) that says which part is
/// wrong. The message never holds the secret.
[[nodiscard]] Endpoint parse_endpoint(std::string_view text);

/// Reads 32 hexadecimal digits. Throws Error (InvalidArgument) that does not repeat them.
[[nodiscard]] Secret parse_secret(std::string_view text);

/// 32 lower-case hexadecimal digits.
[[nodiscard]] std::string secret_text(const Secret& secret);

}  // namespace roce::bootstrap

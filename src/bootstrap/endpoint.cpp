// SPDX-License-Identifier: Apache-2.0
#include "src/bootstrap/endpoint.hpp"

#include <fmt/format.h>

#include <charconv>

#include "roce/status.hpp"

namespace roce::bootstrap {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("'{}' is no meeting point: {}; write host:port or host:port/secret, for "
                          "example 10.0.0.1:29400 or [fd00::1]:29400",
                          text, why));
}

std::uint16_t parse_port(std::string_view whole, std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0 || port > 65535) {
    refuse(whole, fmt::format("the port '{}' is not a number from 1 to 65535", text));
  }
  return static_cast<std::uint16_t>(port);
}

}  // namespace

std::string endpoint_text(std::string_view host, std::uint16_t port) {
  const bool brackets = host.find(':') != std::string_view::npos;
  return fmt::format("{}{}{}:{}", brackets ? "[" : "", host, brackets ? "]" : "", port);
}

Endpoint parse_endpoint(std::string_view text) {
  Endpoint endpoint;
  const auto slash = text.find('/');
  if (slash != std::string_view::npos) {
    endpoint.secret = parse_secret(text.substr(slash + 1));
    text = text.substr(0, slash);
  }
  std::string_view host;
  std::string_view rest;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) refuse(text, "the bracket of the IPv6 host is not closed");
    host = text.substr(1, close - 1);
    rest = text.substr(close + 1);
  } else {
    const auto colon = text.find(':');
    if (colon != text.rfind(':')) refuse(text, "an IPv6 host must stand in brackets");
    host = text.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view{} : text.substr(colon);
  }
  if (host.empty()) refuse(text, "the host is missing");
  if (!rest.starts_with(':')) refuse(text, "the port is missing");
  endpoint.host = std::string(host);
  endpoint.port = parse_port(text, rest.substr(1));
  return endpoint;
}

Secret parse_secret(std::string_view text) {
  Secret secret{};
  bool good = text.size() == 2 * secret.size();
  for (std::size_t i = 0; good && i < secret.size(); ++i) {
    const char* digits = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(digits, digits + 2, secret[i], 16);
    good = error == std::errc{} && end == digits + 2;
  }
  if (!good) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("the secret ({} characters) is not {} hexadecimal digits", text.size(),
                            2 * secret.size()));
  }
  return secret;
}

std::string secret_text(const Secret& secret) {
  return fmt::format("{:02x}", fmt::join(secret, ""));
}

}  // namespace roce::bootstrap

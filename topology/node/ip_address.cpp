// SPDX-License-Identifier: Apache-2.0
#include "topology/node/ip_address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstddef>

namespace roce::topology {
namespace {

constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string terminated(text);
  if (terminated.size() != std::string_view(terminated.c_str()).size()) return std::nullopt;
  IpAddress address;
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) == 1) return address;
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes.data() + mapped.size()) != 1) {
    return std::nullopt;
  }
  std::ranges::copy(mapped, address.bytes.begin());
  return address;
}

bool IpAddress::is_zero() const noexcept {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

bool IpAddress::is_ipv4() const noexcept {
  return std::equal(mapped.begin(), mapped.end(), bytes.begin());
}

bool IpAddress::is_link_local() const noexcept {
  if (is_ipv4()) return bytes[12] == 169 && bytes[13] == 254;
  return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

bool IpAddress::is_special() const noexcept {
  if (is_ipv4()) return bytes[12] == 0 || bytes[12] == 127 || bytes[12] >= 224;
  const bool loopback =
      bytes.back() == 1 &&
      std::all_of(bytes.begin(), bytes.end() - 1, [](std::uint8_t byte) { return byte == 0; });
  return is_zero() || loopback || bytes[0] == 0xff;
}

std::string IpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  const bool ipv4 = is_ipv4();
  const std::uint8_t* begin = ipv4 ? bytes.data() + mapped.size() : bytes.data();
  const char* text = inet_ntop(ipv4 ? AF_INET : AF_INET6, begin, buffer.data(), buffer.size());
  return text == nullptr ? std::string() : std::string(text);
}

IpAddress InterfaceAddress::network() const noexcept {
  const int bits = prefix + (address.is_ipv4() ? 96 : 0);
  IpAddress result = address;
  for (std::size_t byte = 0; byte < result.bytes.size(); ++byte) {
    const int kept = std::clamp(bits - static_cast<int>(byte) * 8, 0, 8);
    result.bytes[byte] =
        static_cast<std::uint8_t>(result.bytes[byte] & (0xff00U >> static_cast<unsigned>(kept)));
  }
  return result;
}

bool InterfaceAddress::contains(const IpAddress& other) const noexcept {
  return other.is_ipv4() == address.is_ipv4() &&
         InterfaceAddress{other, prefix}.network() == network();
}

std::string InterfaceAddress::text() const { return address.text() + "/" + std::to_string(prefix); }

}  // namespace roce::topology

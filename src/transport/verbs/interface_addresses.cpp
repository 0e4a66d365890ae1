// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/interface_addresses.hpp"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include "roce/status.hpp"

namespace roce::transport::verbs {
namespace {

struct Freed {
  void operator()(ifaddrs* list) const noexcept { ::freeifaddrs(list); }
};

int bits(const std::uint8_t* mask, std::size_t bytes) {
  int count = 0;
  for (std::size_t i = 0; i < bytes; ++i) count += std::popcount(mask[i]);
  return count;
}

std::optional<InterfaceAddress> convert(const ifaddrs& entry) {
  if (entry.ifa_addr == nullptr || entry.ifa_netmask == nullptr) return std::nullopt;
  InterfaceAddress result{.netdev = entry.ifa_name};
  std::array<std::uint8_t, 16> mask{};
  if (entry.ifa_addr->sa_family == AF_INET) {
    constexpr std::size_t at = 12;
    result.address[10] = result.address[11] = 0xff;
    std::memcpy(result.address.data() + at,
                &reinterpret_cast<const sockaddr_in*>(entry.ifa_addr)->sin_addr, 4);
    std::memcpy(mask.data(), &reinterpret_cast<const sockaddr_in*>(entry.ifa_netmask)->sin_addr, 4);
    result.prefix = bits(mask.data(), 4);
    return result;
  }
  if (entry.ifa_addr->sa_family != AF_INET6) return std::nullopt;
  std::memcpy(result.address.data(),
              &reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr)->sin6_addr, 16);
  std::memcpy(mask.data(), &reinterpret_cast<const sockaddr_in6*>(entry.ifa_netmask)->sin6_addr,
              16);
  result.prefix = bits(mask.data(), mask.size());
  return result;
}

}  // namespace

std::vector<InterfaceAddress> interface_addresses() {
  ifaddrs* raw = nullptr;
  if (::getifaddrs(&raw) != 0) {
    throw Error(ErrorCode::Resource,
                fmt::format("getifaddrs: {}", std::generic_category().message(errno)));
  }
  const std::unique_ptr<ifaddrs, Freed> list(raw);
  std::vector<InterfaceAddress> addresses;
  for (const ifaddrs* entry = list.get(); entry != nullptr; entry = entry->ifa_next) {
    if (auto address = convert(*entry)) addresses.push_back(std::move(*address));
  }
  return addresses;
}

std::optional<int> prefix_of(const std::vector<InterfaceAddress>& addresses,
                             const std::string& netdev, const GidBytes& address) {
  const auto found = std::ranges::find_if(addresses, [&](const InterfaceAddress& candidate) {
    return candidate.netdev == netdev && candidate.address == address;
  });
  return found == addresses.end() ? std::nullopt : std::optional(found->prefix);
}

bool is_link_local(const GidBytes& gid) noexcept {
  return gid[0] == 0xfe && (gid[1] & 0xc0U) == 0x80;
}

}  // namespace roce::transport::verbs

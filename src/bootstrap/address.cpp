// SPDX-License-Identifier: Apache-2.0
#include "src/bootstrap/address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "roce/status.hpp"
#include "src/bootstrap/endpoint.hpp"

namespace roce::bootstrap {
namespace {

template <typename T>
T view_as(const sockaddr_storage& storage) noexcept {
  T view{};
  std::memcpy(&view, &storage, sizeof view);
  return view;
}

// An IPv4-mapped IPv6 address as the IPv4 address that it stands for.
Address unmapped(const sockaddr_in6& mapped) noexcept {
  sockaddr_in plain{};
  plain.sin_family = AF_INET;
  plain.sin_port = mapped.sin6_port;
  std::memcpy(&plain.sin_addr, mapped.sin6_addr.s6_addr + 12, 4);
  return {reinterpret_cast<const sockaddr*>(&plain), sizeof plain};
}

}  // namespace

Address::Address(const sockaddr* address, socklen_t length) noexcept
    : length_(std::min(length, static_cast<socklen_t>(sizeof storage_))) {
  std::memcpy(&storage_, address, length_);
  if (family() == AF_INET6) {
    const auto v6 = view_as<sockaddr_in6>(storage_);
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) *this = unmapped(v6);
  }
}

Address Address::any(int family, std::uint16_t port) noexcept {
  Address address;
  address.storage_.ss_family = static_cast<sa_family_t>(family);
  address.length_ = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  address.set_port(port);
  return address;
}

const sockaddr* Address::data() const noexcept {
  return reinterpret_cast<const sockaddr*>(&storage_);
}

std::uint16_t Address::port() const noexcept {
  if (family() == AF_INET6) return ntohs(view_as<sockaddr_in6>(storage_).sin6_port);
  if (family() == AF_INET) return ntohs(view_as<sockaddr_in>(storage_).sin_port);
  return 0;
}

void Address::set_port(std::uint16_t port) noexcept {
  if (family() == AF_INET6) reinterpret_cast<sockaddr_in6*>(&storage_)->sin6_port = htons(port);
  if (family() == AF_INET) reinterpret_cast<sockaddr_in*>(&storage_)->sin_port = htons(port);
}

bool Address::is_loopback() const noexcept {
  if (family() == AF_INET6) {
    const auto v6 = view_as<sockaddr_in6>(storage_);
    return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
  }
  return family() == AF_INET &&
         (ntohl(view_as<sockaddr_in>(storage_).sin_addr.s_addr) >> 24) == 127;
}

bool Address::is_link_local() const noexcept {
  if (family() == AF_INET6) {
    const auto v6 = view_as<sockaddr_in6>(storage_);
    return IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr);
  }
  return family() == AF_INET &&
         (ntohl(view_as<sockaddr_in>(storage_).sin_addr.s_addr) >> 16) == 0xA9FE;
}

std::string Address::host() const {
  std::array<char, NI_MAXHOST> text{};
  if (length_ == 0 ||
      getnameinfo(data(), length_, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
    return "unknown address";
  }
  return text.data();
}

std::string Address::to_string() const { return endpoint_text(host(), port()); }

bool is_literal(std::string_view host) noexcept {
  if (host == "localhost") return true;
  std::array<char, INET6_ADDRSTRLEN + 1> text{};
  if (host.size() >= text.size()) return false;
  std::copy(host.begin(), host.end(), text.begin());
  in6_addr unused{};
  return inet_pton(AF_INET, text.data(), &unused) == 1 ||
         inet_pton(AF_INET6, text.data(), &unused) == 1;
}

std::vector<Address> resolve(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int rc = getaddrinfo(host.c_str(), nullptr, &hints, &list);
  if (rc != 0) {
    const int error = errno;
    throw Error(ErrorCode::Resource,
                fmt::format("cannot resolve host '{}': {}; give a name that every rank can resolve "
                            "or a numeric address",
                            host, rc == EAI_SYSTEM ? std::strerror(error) : gai_strerror(rc)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_family != AF_INET && entry->ai_family != AF_INET6) continue;
    addresses.emplace_back(entry->ai_addr, entry->ai_addrlen).set_port(port);
  }
  return addresses;
}

std::vector<Address> local_addresses() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
  std::vector<Address> addresses;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || (entry->ifa_flags & IFF_UP) == 0) continue;
    const int family = entry->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const Address address(entry->ifa_addr,
                          family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in));
    if (!address.is_loopback() && !address.is_link_local()) addresses.push_back(address);
  }
  std::stable_partition(addresses.begin(), addresses.end(),
                        [](const Address& address) { return address.family() == AF_INET; });
  return addresses;
}

}  // namespace roce::bootstrap

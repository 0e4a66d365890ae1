// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/port_info.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "roce/status.hpp"

namespace roce::transport::verbs {
namespace {

using nlohmann::json;

json encode(const GidInfo& gid) {
  return json{
      {"index", gid.index}, {"gid", gid.bytes}, {"prefix", gid.prefix}, {"netdev", gid.netdev}};
}

GidInfo decode_gid(const json& value) {
  return {value.at("index"), value.at("gid"), value.at("prefix"), value.at("netdev")};
}

json encode(const PortInfo& port) {
  json gids = json::array();
  for (const GidInfo& gid : port.gids) gids.push_back(encode(gid));
  return json{{"device", port.device}, {"port", port.port},   {"netdev", port.netdev},
              {"mtu", port.mtu},       {"speed", port.speed}, {"gids", std::move(gids)}};
}

PortInfo decode_port(const json& value) {
  PortInfo port{value.at("device"), value.at("port"),  value.at("netdev"),
                value.at("mtu"),    value.at("speed"), {}};
  for (const json& gid : value.at("gids")) port.gids.push_back(decode_gid(gid));
  return port;
}

}  // namespace

bool is_ipv4(const GidBytes& gid) noexcept {
  constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(mapped.begin(), mapped.end(), gid.begin());
}

std::string address_text(const GidBytes& gid) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (is_ipv4(gid)) {
    ::inet_ntop(AF_INET, gid.data() + 12, text.data(), text.size());
  } else {
    ::inet_ntop(AF_INET6, gid.data(), text.data(), text.size());
  }
  return text.data();
}

std::string port_name(const PortInfo& port) { return fmt::format("{}:{}", port.device, port.port); }

std::vector<std::byte> to_bytes(const std::vector<PortInfo>& ports) {
  json list = json::array();
  for (const PortInfo& port : ports) list.push_back(encode(port));
  const std::string text = list.dump(-1, ' ', false, json::error_handler_t::replace);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<PortInfo> ports_from_bytes(std::span<const std::byte> bytes, int rank) {
  try {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::vector<PortInfo> ports;
    for (const json& port : json::parse(text)) ports.push_back(decode_port(port));
    return ports;
  } catch (const json::exception& error) {
    throw Error(ErrorCode::Mismatch,
                fmt::format("rank {} sent a list of RDMA ports that cannot be read ({}); do all "
                            "ranks use the same version of the library?",
                            rank, error.what()));
  }
}

}  // namespace roce::transport::verbs

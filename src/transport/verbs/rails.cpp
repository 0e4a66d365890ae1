// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/rails.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

namespace roce::transport::verbs {
namespace {

/// A pair of GIDs that see each other on link, ordered alike on both sides.
struct Candidate {
  Rail rail;
  bool ipv6 = false;
  GidBytes subnet{};
  GidBytes lower{};
  GidBytes upper{};

  [[nodiscard]] auto key() const { return std::tie(ipv6, subnet, lower, upper); }
};

GidBytes masked(GidBytes gid, int bits) {
  for (std::size_t byte = 0; byte < gid.size(); ++byte) {
    const int keep = std::clamp(bits - static_cast<int>(byte) * 8, 0, 8);
    gid[byte] = static_cast<std::uint8_t>(gid[byte] & (0xff00U >> static_cast<unsigned>(keep)));
  }
  return gid;
}

std::optional<Candidate> pair(const GidInfo& a, const GidInfo& b) {
  if (is_ipv4(a.bytes) != is_ipv4(b.bytes)) return std::nullopt;
  const bool ipv6 = !is_ipv4(a.bytes);
  const int bits = std::max(a.prefix, b.prefix) + (ipv6 ? 0 : 96);
  const GidBytes subnet = masked(a.bytes, bits);
  if (subnet != masked(b.bytes, bits)) return std::nullopt;
  return Candidate{.rail = {},
                   .ipv6 = ipv6,
                   .subnet = subnet,
                   .lower = std::min(a.bytes, b.bytes),
                   .upper = std::max(a.bytes, b.bytes)};
}

std::vector<Candidate> candidates(const std::vector<PortInfo>& mine,
                                  const std::vector<PortInfo>& peers) {
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    for (std::size_t j = 0; j < peers.size(); ++j) {
      for (std::size_t g = 0; g < mine[i].gids.size(); ++g) {
        for (std::size_t h = 0; h < peers[j].gids.size(); ++h) {
          auto candidate = pair(mine[i].gids[g], peers[j].gids[h]);
          if (!candidate) continue;
          candidate->rail = {i, g, j, h};
          found.push_back(*candidate);
        }
      }
    }
  }
  std::ranges::stable_sort(
      found, [](const Candidate& a, const Candidate& b) { return a.key() < b.key(); });
  return found;
}

}  // namespace

std::vector<Rail> rails(const std::vector<PortInfo>& mine, const std::vector<PortInfo>& peers) {
  std::vector<Rail> chosen;
  std::vector<bool> mine_used(mine.size());
  std::vector<bool> peers_used(peers.size());
  for (const Candidate& candidate : candidates(mine, peers)) {
    const Rail& rail = candidate.rail;
    if (mine_used[rail.my_port] || peers_used[rail.peer_port]) continue;
    mine_used[rail.my_port] = true;
    peers_used[rail.peer_port] = true;
    chosen.push_back(rail);
  }
  return chosen;
}

std::string list_ports(const std::vector<PortInfo>& ports) {
  std::string text;
  for (const PortInfo& port : ports) {
    for (const GidInfo& gid : port.gids) {
      text += fmt::format("{}{} {}/{} ({})", text.empty() ? "" : ", ", port_name(port),
                          address_text(gid.bytes), gid.prefix, gid.netdev);
    }
  }
  return text.empty() ? "no usable port" : text;
}

}  // namespace roce::transport::verbs

// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/network.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "src/transport/outcome.hpp"
#include "src/transport/verbs/devices.hpp"
#include "src/transport/verbs/rails.hpp"

namespace roce::runtime {
namespace {

namespace verbs = transport::verbs;

std::string as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Cables between hosts, and whether some port reaches more than one host: then a switch is there.
class Cables {
 public:
  Cables(const std::vector<PeerInfo>& peers, const Ports& ports)
      : links_(static_cast<int>(peers.size())) {
    for (int a = 0; a < links_.nodes(); ++a) {
      for (int b = a + 1; b < links_.nodes(); ++b) join(peers, ports, a, b);
    }
  }
  [[nodiscard]] const topology::Links& links() const noexcept { return links_; }
  [[nodiscard]] bool switched() const {
    for (const auto& [port, hosts] : hosts_behind_) {
      if (hosts.size() > 1) return true;
    }
    return false;
  }

 private:
  void join(const std::vector<PeerInfo>& peers, const Ports& ports, int a, int b) {
    const auto first = static_cast<std::size_t>(a);
    const auto second = static_cast<std::size_t>(b);
    if (peers[first].host == peers[second].host) {
      links_.link(a, b);
      return;
    }
    for (const verbs::Rail& rail : verbs::rails(ports.of_rank[first], ports.of_rank[second])) {
      links_.link(a, b);
      hosts_behind_[{a, rail.my_port}].insert(peers[second].host);
    }
  }

  topology::Links links_;
  std::map<std::pair<int, std::size_t>, std::set<std::string>> hosts_behind_;
};

std::string end_text(const std::vector<PeerInfo>& peers, const Ports& ports, int rank) {
  const auto index = static_cast<std::size_t>(rank);
  return fmt::format("rank {} (host {}: {})", rank, peers[index].host,
                     verbs::list_ports(ports.of_rank[index]));
}

}  // namespace

Ports exchange_ports(Bootstrap& bootstrap, const Config& config) {
  const verbs::FoundPorts found = verbs::find_ports(config);
  const auto answers = bootstrap.all_gather(verbs::to_bytes(found.ports));
  Ports ports;
  bool all_have = true;
  for (std::size_t rank = 0; rank < answers.size(); ++rank) {
    ports.of_rank.push_back(verbs::ports_from_bytes(answers[rank], static_cast<int>(rank)));
    all_have = all_have && !ports.of_rank.back().empty();
  }
  if (all_have) return ports;
  const std::string mine = found.ports.empty() ? verbs::no_ports_text(found) : std::string();
  const auto texts = bootstrap.all_gather(std::as_bytes(std::span(mine)));
  std::vector<std::string> reasons;
  for (const auto& text : texts) reasons.push_back(as_text(text));
  ports.lacking = transport::reasons_by_rank(reasons);
  return ports;
}

topology::Fabric verbs_fabric(const std::vector<PeerInfo>& peers, const Ports& ports) {
  const Cables cables(peers, ports);
  return topology::Fabric::from_links(cables.links(), cables.switched());
}

std::string unreachable_text(const topology::Fabric& fabric, const std::vector<PeerInfo>& peers,
                             const Ports& ports) {
  if (fabric.fabric_class() != topology::FabricClass::Partitioned) return {};
  for (int a = 0; a < fabric.ranks(); ++a) {
    for (int b = a + 1; b < fabric.ranks(); ++b) {
      if (fabric.linked(a, b)) continue;
      return fmt::format(
          "the cables join the ranks neither all with all nor in a ring or a line: for example {} "
          "and {} share no subnet; check cables, addresses and ROCE_HCA",
          end_text(peers, ports, a), end_text(peers, ports, b));
    }
  }
  return {};
}

std::vector<int> network_peers(const topology::Fabric& fabric, const std::vector<PeerInfo>& peers,
                               int rank) {
  std::vector<int> others;
  for (int peer = 0; peer < fabric.ranks(); ++peer) {
    const bool elsewhere =
        peers[static_cast<std::size_t>(peer)].host != peers[static_cast<std::size_t>(rank)].host;
    if (elsewhere && fabric.linked(rank, peer)) others.push_back(peer);
  }
  return others;
}

}  // namespace roce::runtime

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "roce/bootstrap.hpp"
#include "roce/config.hpp"
#include "src/runtime/peers.hpp"
#include "src/transport/verbs/port_info.hpp"
#include "topology/fabric.hpp"

namespace roce::runtime {

/// The RDMA ports of all ranks.
struct Ports {
  std::vector<std::vector<transport::verbs::PortInfo>> of_rank;
  std::string lacking;  ///< why verbs cannot serve: the ranks without a port, and what they lack
};

/// Looks for this rank's ports and exchanges them. Collective.
[[nodiscard]] Ports exchange_ports(Bootstrap& bootstrap, const Config& config);

/// How the ranks are linked: those of one host by its memory, others by cables, which are on-link
/// subnets that two ports share.
[[nodiscard]] topology::Fabric verbs_fabric(const std::vector<PeerInfo>& peers, const Ports& ports);

/// Why no schedule could run on the fabric, or empty.
[[nodiscard]] std::string unreachable_text(const topology::Fabric& fabric,
                                           const std::vector<PeerInfo>& peers, const Ports& ports);

/// The ranks on other hosts that this rank is linked with.
[[nodiscard]] std::vector<int> network_peers(const topology::Fabric& fabric,
                                             const std::vector<PeerInfo>& peers, int rank);

}  // namespace roce::runtime

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "topology/fabric.hpp"
#include "topology/findings/finding.hpp"
#include "topology/node/node_report.hpp"

namespace roce::topology {

/// What the user has asked for, from settings.
struct DetectOptions {
  std::string hca;        ///< ROCE_HCA, NCCL's grammar; empty for all
  std::string gid_index;  ///< ROCE_GID_INDEX: "3" or "mlx5_0=3,mlx5_1=5"; empty for automatic
  bool allow_ipv6_link_local = false;  ///< fe80 GIDs may carry traffic
};

/// One end of a rail.
struct RailEnd {
  int node = 0;
  std::string hca;
  int port = 1;
  std::string netdev;  ///< the owner of the GID: the device's netdev, a VLAN on it, a bond
  int gid_index = 0;
  InterfaceAddress address;
};

/// A pair of RDMA functions that reach each other on link.
struct Rail {
  RailEnd a;
  RailEnd b;
  IpAddress network;  ///< the shared subnet, by the longer of both prefixes
  int prefix = 0;
  int mtu = 0;                      ///< RDMA path MTU in bytes: the lesser of both ends
  std::optional<double> rate_gbps;  ///< the lesser of both ends
  bool switched = false;            ///< more than two nodes have a device on the subnet
};

/// Two nodes that reach each other, and over which rails; a < b as positions in the reports.
struct Link {
  int a = 0;
  int b = 0;
  std::vector<Rail>
      rails;  ///< the a ends are of node a; like with like; in the same order for both
};

/// A connector of a node, and the functions behind it ("twins").
struct PhysicalPort {
  std::string name;  ///< "p0"; the device's name where the kernel names no connector
  std::vector<std::string> hcas;
};

/// A device of a node that carries traffic to another member.
struct UsedDevice {
  std::string hca;
  int port = 1;
  std::string netdev;
  int gid_index = 0;
  IpAddress gid;
  int mtu = 0;  ///< RDMA MTU in bytes: the least of its rails'
  std::optional<double> rate_gbps;
};

/// What is known of one member.
struct DetectedNode {
  std::vector<PhysicalPort> ports;
  std::vector<UsedDevice> rails;
};

/// How two nodes that share no link talk: over the nodes between, in order.
struct RelayRoute {
  int from = 0;
  int to = 0;
  std::vector<int> via;  ///< from and to not among them; from < to
};

/// The fabric of the nodes of one communicator.
struct Detection {
  std::vector<NodeReport> reports;  ///< as given
  std::vector<DetectedNode> nodes;  ///< one a report
  std::vector<Link> links;          ///< by (a, b)
  FabricClass fabric_class = FabricClass::Single;
  std::vector<int> order;               ///< along the ring or line; else 0..n-1
  std::vector<std::vector<int>> parts;  ///< connected sets of nodes; one unless partitioned
  std::vector<RelayRoute> routes;
  std::vector<Finding> findings;  ///< errors first, then by code, node and hca
};

/// Works the fabric out; the same answer wherever it is computed. Never throws for what machines
/// lack or reports claim, however absurd: that is a finding. Throws roce::Error (InvalidArgument)
/// for options that cannot be read.
[[nodiscard]] Detection detect(std::vector<NodeReport> reports, const DetectOptions& options);

}  // namespace roce::topology

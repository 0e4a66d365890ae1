// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topology/node/ip_address.hpp"

namespace roce::topology {

/// A network interface. What could not be read is empty.
struct Netdev {
  std::string name;
  std::optional<int> index;
  std::string kind;    ///< "vlan", "bond", "bridge", ...; empty for hardware
  std::string master;  ///< the bond or bridge that it belongs to
  std::string parent;  ///< the interface that a VLAN stands on
  std::optional<int> vlan_id;
  std::string mac;
  std::string pci;             ///< address of its PCI function
  std::string phys_port_name;  ///< "p0": the connector
  std::string operstate;       ///< "up", "down", ...
  std::optional<bool> up;      ///< switched on and has a carrier
  std::optional<int> mtu;      ///< bytes
  std::optional<std::int64_t> speed_mbps;
  std::vector<InterfaceAddress> addresses;
};

/// A line of the routing table, as far as messages need it.
struct Route {
  std::string destination;  ///< "10.0.0.0/24" or "default"
  std::string gateway;      ///< empty when on link
  std::string netdev;
};

enum class GidType : std::uint8_t { InfiniBand, RoceV1, RoceV2, Unknown };

/// A slot of a GID table that holds a GID. InfiniBand is the type of a slot without RoCE.
struct Gid {
  int index = 0;
  GidType type = GidType::Unknown;
  IpAddress address;
  std::string netdev;  ///< its owner; empty when unknown
};

/// A port of an RDMA device.
struct RdmaPort {
  int number = 1;
  std::optional<bool> active;
  std::string state;       ///< as the kernel says it: "ACTIVE", "DOWN"
  std::string phys_state;  ///< "LinkUp", "Disabled", "Polling"
  std::string link_layer;  ///< "Ethernet" or "InfiniBand"
  std::optional<double> rate_gbps;
  int gid_slots = 0;        ///< of the table
  int unreadable_gids = 0;  ///< slots that could not be read, for another reason than emptiness
  std::vector<Gid> gids;    ///< by index
  std::string netdev;       ///< empty when there is none
  std::map<std::string, std::uint64_t> counters;  ///< hardware counters
};

/// What a PCI function's link was trained to, and what it could do.
struct PciLink {
  std::string address;  ///< "0000:01:00.0"; empty when it is not a PCI device
  std::optional<double> speed_gtps;
  std::optional<double> max_speed_gtps;
  std::optional<int> width;
  std::optional<int> max_width;
};

/// An RDMA device ("HCA"): one PCI function, a software device on a netdev, or a bond.
struct RdmaDevice {
  std::string name;
  std::string node_guid;       ///< as the kernel prints it
  std::string sys_image_guid;  ///< alike for all functions of one adapter
  std::string hca_type;
  std::string firmware;
  PciLink pci;
  bool virtual_function = false;
  std::optional<int> numa_node;
  std::optional<bool> device_node;  ///< whether /dev/infiniband/uverbsN is there
  std::vector<RdmaPort> ports;
};

/// A GPU, and how far each RDMA device is from it.
struct Gpu {
  std::string pci;
  std::string name;
  std::optional<int> numa_node;
  std::map<std::string, int> distance;  ///< PCI bridges between, by device; -1 over the processors
};

/// Everything that the detector knows about one machine. Pure data; made by discover(), carried as
/// JSON between ranks.
struct NodeReport {
  std::string host;
  std::vector<RdmaDevice> devices;  ///< by name
  std::vector<Netdev> netdevs;      ///< by name
  std::vector<Route> routes;
  std::vector<Gpu> gpus;
  std::optional<std::int64_t> memlock_bytes;        ///< -1 for unlimited
  std::map<std::string, std::uint64_t> memory_kib;  ///< from /proc/meminfo: MemTotal, CmaFree, ...
  std::map<std::string, std::string> environment;   ///< settings that choose devices and GIDs
  std::vector<std::string> unreadable;  ///< what was there and could not be read, and why
};

}  // namespace roce::topology

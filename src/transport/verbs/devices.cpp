// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/devices.hpp"

#include <fmt/format.h>
#include <net/if.h>

#include <algorithm>
#include <array>
#include <exception>

#include "src/transport/verbs/explain.hpp"
#include "src/transport/verbs/gid_table.hpp"
#include "src/transport/verbs/hca_filter.hpp"
#include "src/transport/verbs/interface_addresses.hpp"

namespace roce::transport::verbs {
namespace {

const char* state_name(ibv_port_state state) {
  constexpr std::array names{"in no known state", "DOWN", "INIT", "ARMED", "ACTIVE",
                             "ACTIVE_DEFER"};
  const auto index = static_cast<std::size_t>(state);
  return index < names.size() ? names[index] : names[0];
}

/// Mbit/s of one lane.
int lane_speed(unsigned code) {
  switch (code) {
    case 1:
      return 2'500;
    case 2:
      return 5'000;
    case 4:
    case 8:
      return 10'000;
    case 16:
      return 14'000;
    case 32:
      return 25'000;
    case 64:
      return 50'000;
    case 128:
      return 100'000;
    default:
      return 0;
  }
}

int lanes(unsigned code) {
  switch (code) {
    case 1:
      return 1;
    case 2:
      return 4;
    case 4:
      return 8;
    case 8:
      return 12;
    case 16:
      return 2;
    default:
      return 0;
  }
}

int mtu_bytes(ibv_mtu code) { return 128 << static_cast<int>(code); }

std::string netdev_of(const ibv_gid_entry& entry) {
  std::array<char, IF_NAMESIZE> name{};
  return ::if_indextoname(entry.ndev_ifindex, name.data()) == nullptr ? "" : name.data();
}

/// Searches one device after the other.
class Search {
 public:
  explicit Search(const Config& config)
      : filter_(config.hca), gid_index_(config.gid_index), addresses_(interface_addresses()) {}

  void look_at(const std::string& device) {
    try {
      const Context context(device);
      const int ports = context.attributes().phys_port_cnt;
      for (int port = 1; port <= ports; ++port) {
        if (filter_.allows(device, port)) look_at(context, port);
      }
    } catch (const std::exception& error) {
      reject(error.what());
    }
  }

  void reject(std::string reason) { found_.reasons.push_back(std::move(reason)); }
  FoundPorts take() { return std::move(found_); }

 private:
  void look_at(const Context& context, int number) {
    PortInfo port;
    port.device = context.device();
    port.port = number;
    ibv_port_attr info{};
    const int error = library().query_port(context.get(), static_cast<std::uint8_t>(number), info);
    if (error != 0) {
      reject(fmt::format("{}: ibv_query_port: {}", port_name(port), errno_text(error)));
    } else if (info.link_layer != IBV_LINK_LAYER_ETHERNET) {
      reject(fmt::format("{}: its link layer is not Ethernet", port_name(port)));
    } else if (info.state != IBV_PORT_ACTIVE) {
      reject(fmt::format("{}: port is {}", port_name(port), state_name(info.state)));
    } else {
      port.mtu = mtu_bytes(info.active_mtu);
      port.speed = lane_speed(info.active_speed) * lanes(info.active_width);
      add_gids(context, port);
      if (port.gids.empty()) return;
      port.netdev = port.gids.front().netdev;
      found_.ports.push_back(std::move(port));
    }
  }

  /// Says why when there is none.
  void add_gids(const Context& context, PortInfo& port) {
    std::string why = "no RoCE v2 GID";
    for (const ibv_gid_entry& entry : gid_table(context)) {
      if (static_cast<int>(entry.port_num) != port.port || entry.gid_type != IBV_GID_TYPE_ROCE_V2) {
        continue;
      }
      GidInfo gid;
      gid.index = static_cast<int>(entry.gid_index);
      gid.netdev = netdev_of(entry);
      std::ranges::copy(entry.gid.raw, gid.bytes.begin());
      if (is_link_local(gid.bytes)) {
        why =
            "no RoCE v2 GID but of link-local IPv6 addresses, which do not tell subnets apart; "
            "give " +
            gid.netdev + " an IPv4 address";
        continue;
      }
      const auto prefix = prefix_of(addresses_, gid.netdev, gid.bytes);
      if (!prefix) {
        why = fmt::format("no interface here has the address {} of its GID {}",
                          address_text(gid.bytes), gid.index);
        continue;
      }
      gid.prefix = *prefix;
      if (gid_index_ < 0 || gid.index == gid_index_)
        port.gids.push_back(std::move(gid));
      else
        why = fmt::format("ROCE_GID_INDEX={} is no RoCE v2 GID with an address", gid_index_);
    }
    if (port.gids.empty()) reject(fmt::format("{}: {}", port_name(port), why));
  }

  HcaFilter filter_;
  int gid_index_;
  std::vector<InterfaceAddress> addresses_;
  FoundPorts found_;
};

}  // namespace

FoundPorts find_ports(const Config& config) {
  Search search(config);
  if (loaded_library().functions == nullptr) {
    search.reject(loaded_library().reason);
    return search.take();
  }
  std::vector<std::string> devices;
  try {
    devices = device_names();
  } catch (const std::exception& error) {
    search.reject(error.what());
    return search.take();
  }
  if (devices.empty()) {
    search.reject("there is no RDMA device (/sys/class/infiniband is empty or hidden)");
  }
  for (const std::string& device : devices) search.look_at(device);
  FoundPorts found = search.take();
  if (found.ports.empty() && found.reasons.empty()) {
    found.reasons.push_back(
        fmt::format("ROCE_HCA={} allows none of {}", config.hca, fmt::join(devices, ", ")));
  }
  return found;
}

std::string no_ports_text(const FoundPorts& found) {
  return fmt::format("no RDMA port can be used: {}", fmt::join(found.reasons, "; "));
}

}  // namespace roce::transport::verbs

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "roce/config.hpp"
#include "src/transport/verbs/port_info.hpp"

namespace roce::transport::verbs {

/// What a search for ports has found.
struct FoundPorts {
  std::vector<PortInfo> ports;       ///< usable, by device name and port
  std::vector<std::string> reasons;  ///< one sentence for each thing that cannot be used, and why
};

/// Every port of this machine that is active, speaks RoCE v2 with an address of its netdev, and is
/// allowed by config.hca and config.gid_index. Never throws for what a machine lacks, the library
/// included: that is a reason. Throws roce::Error (InvalidArgument) for a bad ROCE_HCA.
[[nodiscard]] FoundPorts find_ports(const Config& config);

/// "no RDMA port can be used: rxe0:1: port is DOWN; ...; what to do".
[[nodiscard]] std::string no_ports_text(const FoundPorts& found);

}  // namespace roce::transport::verbs

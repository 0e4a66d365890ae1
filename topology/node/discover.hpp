// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "topology/node/node_report.hpp"

namespace roce::topology {

/// Reads this machine: sysfs and procfs, addresses and routes by netlink, GPUs by hwloc. What can't
/// be read is left empty and named in `unreadable`; never throws for that.
[[nodiscard]] NodeReport discover();

/// The same from a snapshot directory, as write_snapshot() makes it. Throws roce::Error
/// (InvalidArgument) when there is no such directory or it is no snapshot.
[[nodiscard]] NodeReport discover(const std::filesystem::path& snapshot);

}  // namespace roce::topology

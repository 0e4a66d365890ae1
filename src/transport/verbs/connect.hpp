// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "roce/bootstrap.hpp"
#include "roce/config.hpp"
#include "src/transport/verbs/port_info.hpp"
#include "src/transport/verbs/transport.hpp"

namespace roce::transport::verbs {

/// Connects this rank with `peers` (ranks, ascending) by one reliable queue pair for each rail, and
/// with nobody else. `memory` is this rank's slot memory: of one size and layout on all ranks, a
/// multiple of a cache line, zeroed, and alive longer than the transport; it is registered once for
/// each device in use. `ports_of_all` are the ranks' ports by rank, the same on all.
///
/// Collective over all ranks of the bootstrap, those without verbs peers included. When one rank
/// fails, all throw the same roce::Error, which names the ranks that failed and why: Unsupported
/// when ranks share no cable or lack what a flag mode needs, Resource when a device refuses,
/// Mismatch when settings differ. Bounded by the bootstrap's timeout.
[[nodiscard]] std::unique_ptr<Transport> connect(
    Bootstrap& bootstrap, const Config& config, std::span<std::byte> memory,
    const std::vector<std::vector<PortInfo>>& ports_of_all, std::span<const int> peers);

}  // namespace roce::transport::verbs

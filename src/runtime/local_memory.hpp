// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "roce/bootstrap.hpp"
#include "src/runtime/peers.hpp"
#include "src/transport/shm/memory.hpp"

namespace roce::runtime {

/// Slot memories by rank: this rank's own and those of the ranks on its host, null for the others.
using Mappings = std::vector<std::shared_ptr<transport::shm::Mapping>>;

/// Makes this rank's slot memory of `bytes` and maps those of its host. Collective; `mine` is
/// what exchange() was given before. Throws Error (Resource), on every rank.
[[nodiscard]] Mappings map_local_memory(Bootstrap& bootstrap, const PeerInfo& mine,
                                        std::size_t bytes);

}  // namespace roce::runtime

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "roce/bootstrap.hpp"
#include "roce/config.hpp"
#include "src/runtime/engine.hpp"
#include "topology/fabric.hpp"

namespace roce::runtime {

/// Ranks that are connected, and the engine that runs over what connects them.
struct Group {
  std::unique_ptr<Engine> engine;
  topology::Fabric fabric;
  std::size_t slot_bytes = 0;    ///< slot memory of this rank
  std::size_t pinned_bytes = 0;  ///< that, and what the network needs besides
  bool crowded = false;          ///< others need the processor that a waiting rank spins on
};

/// Decides what carries the data (config.transport), makes this rank's slot memory, maps that of
/// the ranks on this host and connects the others. Collective. Throws Error, on every rank when any
/// rank fails: Mismatch for different settings, Unsupported when ranks can't reach each other in
/// the way asked for, Resource.
[[nodiscard]] Group connect(Bootstrap& bootstrap, const Config& config);

}  // namespace roce::runtime

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "roce/bootstrap.hpp"
#include "roce/config.hpp"
#include "src/runtime/engine.hpp"

namespace roce::runtime {

/// Ranks that can reach each other's memory, and the engine that runs over it.
struct ShmGroup {
  std::unique_ptr<Engine> engine;
  std::size_t pinned_bytes = 0;  ///< slot memory of this rank
  bool oversubscribed = false;   ///< more ranks than processors
};

/// Makes this rank's slot memory, maps everybody else's. Collective. Throws Error, on every rank
/// when any rank fails: Mismatch for different settings, Unsupported when ranks are on different
/// hosts.
[[nodiscard]] ShmGroup connect_shm(Bootstrap& bootstrap, const Config& config);

}  // namespace roce::runtime

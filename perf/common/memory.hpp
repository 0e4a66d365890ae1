// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace roce::perf {

/// Memory that this process can still take without swapping.
struct AvailableMemory {
  std::size_t bytes = 0;
  std::string source;  ///< what sets the bound: "MemAvailable" or a cgroup's directory
};

/// The least of MemAvailable and what each cgroup (v1 or v2) of this process has left; page cache
/// that the kernel can drop counts as left. `root` is prefixed to /proc and /sys, for tests.
[[nodiscard]] AvailableMemory available_memory(const std::string& root = "");

}  // namespace roce::perf

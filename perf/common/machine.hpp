// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roce::perf {

/// What a reader of a report needs to know about the machine.
struct Machine {
  std::string host;
  std::string kernel;     ///< for example "Linux 6.1.0 aarch64"
  std::string processor;  ///< the model's name, or "unknown"
  unsigned cores = 0;     ///< that this process may run on
};

[[nodiscard]] Machine this_machine();

/// Local time as nccl-tests writes it: "2026-03-01 12:00:00".
[[nodiscard]] std::string timestamp();

}  // namespace roce::perf

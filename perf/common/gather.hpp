// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "roce/communicator.hpp"

namespace roce::perf {

/// Throws roce::Error with the failure's sentence unless ok. Costs one test when all is well.
inline void require(const Status& status) {
  if (!status.ok()) [[unlikely]] {
    status.throw_if_failed();
  }
}

/// Every rank's values, rank after rank. Collective; all ranks give equally many. Throws.
[[nodiscard]] std::vector<double> gather(Communicator& communicator, std::span<const double> mine);

/// Every rank's value, by rank.
[[nodiscard]] inline std::vector<double> gather(Communicator& communicator, double mine) {
  return gather(communicator, std::span<const double>(&mine, 1));
}

/// Every rank's text, by rank. Collective. Throws.
[[nodiscard]] std::vector<std::string> gather_text(Communicator& communicator,
                                                   const std::string& mine);

/// For each position the largest value of all ranks. Collective. Throws.
[[nodiscard]] std::vector<double> slowest(Communicator& communicator, std::span<const double> mine);

}  // namespace roce::perf

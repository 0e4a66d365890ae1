// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "roce/config.hpp"
#include "tests/support/collective_case.hpp"

namespace roce::tests {

/// What catalog_cases covers.
struct Coverage {
  std::size_t segment_bytes = 4096;  ///< counts are chosen around it
  int rounds = 1;  ///< how often each schedule, type and operator comes, each time otherwise
  std::uint64_t seed = 1;
};

/// Cases for every schedule of the catalog that exists for `ranks` on a switch, but barriers: all
/// roots or some, all types, all operators where there are any; counts, buffers' places and
/// alignments in turn.
[[nodiscard]] std::vector<CollectiveCase> catalog_cases(int ranks, const Coverage& coverage);

/// Runs the cases on `ranks` threads with one communicator each. Throws std::runtime_error that
/// names the first case and rank with a wrong result, other bits than another rank's, a write
/// outside of the output or into the input, or a failure.
void run_cases(const Config& config, int ranks, const std::vector<CollectiveCase>& cases);

}  // namespace roce::tests

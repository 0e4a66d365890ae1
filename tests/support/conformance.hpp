// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "roce/config.hpp"
#include "tests/support/collective_case.hpp"
#include "topology/fabric.hpp"

namespace roce::tests {

/// What catalog_cases covers.
struct Coverage {
  std::size_t segment_bytes = 4096;  ///< counts are chosen around it
  int rounds = 1;  ///< how often each schedule, type and operator comes, each time otherwise
  std::uint64_t seed = 1;
};

/// Cases for every schedule of the catalog that exists on the fabric, but barriers: all roots or
/// some, all types, all operators where there are any; counts, buffers' places and alignments in
/// turn.
[[nodiscard]] std::vector<CollectiveCase> catalog_cases(const topology::Fabric& fabric,
                                                        const Coverage& coverage);
/// The same for `ranks` on a switch.
[[nodiscard]] std::vector<CollectiveCase> catalog_cases(int ranks, const Coverage& coverage);

/// Runs this rank's side of a case and returns its output. Throws std::runtime_error that names
/// case and rank with a wrong result, a write outside of the output or into the input, or a
/// failure.
[[nodiscard]] Bytes run_case(Communicator& communicator, const CollectiveCase& what,
                             const ExpectedResult& expected);

/// Runs the cases on `ranks` threads with one communicator each. Throws as run_case, and for other
/// bits than another rank's.
void run_cases(const Config& config, int ranks, const std::vector<CollectiveCase>& cases);

}  // namespace roce::tests

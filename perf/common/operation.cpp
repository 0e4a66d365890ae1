// SPDX-License-Identifier: Apache-2.0
#include "perf/common/operation.hpp"

namespace roce::perf {

Operation::Operation(Communicator& communicator, const CollectiveSpec& spec, Placement placement,
                     int aggregate, Blocking blocking)
    : communicator_(&communicator), placement_(placement), blocking_(blocking) {
  plans_.reserve(static_cast<std::size_t>(aggregate));
  for (int i = 0; i < aggregate; ++i) plans_.push_back(communicator.plan(spec));
}

}  // namespace roce::perf

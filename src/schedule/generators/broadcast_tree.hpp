// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "src/schedule/ir.hpp"
#include "topology/fabric.hpp"

namespace roce::schedule::generators {

/// Who hands a broadcast on to whom: by rank, its children in the order in which they are served.
using Children = std::vector<std::vector<int>>;

/// An acknowledged broadcast down a tree. Data arrives in slot 0. A rank acknowledges to its parent
/// as soon as it has passed the data on and copied it, in the slot after 0 that is the parent's for
/// this child, and then waits for its own children's acknowledgements.
[[nodiscard]] Schedule broadcast_tree(const char* name, const topology::Fabric& fabric, int root,
                                      const Children& children);

}  // namespace roce::schedule::generators

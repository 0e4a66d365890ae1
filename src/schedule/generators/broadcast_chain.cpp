// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/broadcast_tree.hpp"
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// From the root both ways along the ring or line, each rank handing on to the next.
Generated broadcast_chain(const topology::Fabric& fabric, int root) {
  const int n = fabric.ranks();
  if (n == 1) return std::nullopt;
  const Chain chain(fabric);
  Children children(static_cast<std::size_t>(n));
  for (int way = 0; way < 2; ++way) {
    // The farthest rank of an even ring is reached by way 0 only.
    const int reach = chain.reach() - (way == 1 && chain.meets(chain.reach()) ? 1 : 0);
    int last = root;
    for (int distance = 1; distance <= reach; ++distance) {
      const int next = chain.ahead(root, way, distance);
      if (next < 0) break;
      children[static_cast<std::size_t>(last)].push_back(next);
      last = next;
    }
  }
  return broadcast_tree("chain", fabric, root, children);
}

}  // namespace roce::schedule::generators

// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/broadcast_tree.hpp"
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// The root puts to everyone.
Generated broadcast_flat(const topology::Fabric& fabric, int root) {
  const int n = fabric.ranks();
  if (n == 1) return alone(Collective::Broadcast, "flat", fabric);
  Children children(static_cast<std::size_t>(n));
  children[static_cast<std::size_t>(root)] = peers_to(root, n);
  return broadcast_tree("flat", fabric, root, children);
}

}  // namespace roce::schedule::generators

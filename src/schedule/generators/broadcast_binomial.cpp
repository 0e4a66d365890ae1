// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/broadcast_tree.hpp"
#include "src/schedule/generators/generators.hpp"
#include "src/schedule/patterns.hpp"

namespace roce::schedule::generators {

/// Counted from the root, a rank hands on to those that differ from it in one bit below its lowest
/// set one, the farthest first.
Generated broadcast_binomial(const topology::Fabric& fabric, int root) {
  const int n = fabric.ranks();
  if (n == 1) return std::nullopt;
  Children children(static_cast<std::size_t>(n));
  for (int from = 0; from < n; ++from) {
    for (int step = 1 << floor_log2(n); step > 0; step /= 2) {
      const bool below_lowest_bit = from % (2 * step) == 0;
      if (!below_lowest_bit || from + step >= n) continue;
      children[static_cast<std::size_t>((root + from) % n)].push_back((root + from + step) % n);
    }
  }
  return broadcast_tree("binomial", fabric, root, children);
}

}  // namespace roce::schedule::generators

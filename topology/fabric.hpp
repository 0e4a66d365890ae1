// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "topology/wiring.hpp"

namespace roce::topology {

/// The wiring of the ranks of one communicator as a whole.
enum class FabricClass : std::uint8_t { Single, Pair, Line, Ring, Mesh, Switch, Partitioned };
[[nodiscard]] std::string_view to_string(FabricClass fabric_class) noexcept;
/// Throws roce::Error (InvalidArgument) that lists the names.
[[nodiscard]] FabricClass parse_fabric_class(std::string_view text);

/// Which ranks can reach which directly. Immutable.
class Fabric {
 public:
  /// The regular wirings. `ranks` >= 1. A ring of two, a line of two and a mesh of two are a pair;
  /// a ring of three is a mesh too but keeps the class Ring. Rank r neighbours r +- 1 on lines and
  /// rings.
  [[nodiscard]] static Fabric make(FabricClass fabric_class, int ranks);
  /// The fabric of ranks that are linked so: a mesh (a pair for two, a switch when `switched`) when
  /// all are, else a ring or a line in the order found, else partitioned, in the order of ranks.
  [[nodiscard]] static Fabric from_links(const Links& links, bool switched);

  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] FabricClass fabric_class() const noexcept { return class_; }
  [[nodiscard]] bool linked(int a, int b) const noexcept {
    return adjacent_[static_cast<std::size_t>(a) * static_cast<std::size_t>(ranks_) +
                     static_cast<std::size_t>(b)];
  }
  /// The ranks along the ring or line; 0..n-1 for other classes.
  [[nodiscard]] const std::vector<int>& order() const noexcept { return order_; }

 private:
  Fabric(FabricClass fabric_class, int ranks);
  int ranks_;
  FabricClass class_;
  std::vector<bool> adjacent_;
  std::vector<int> order_;
};

}  // namespace roce::topology

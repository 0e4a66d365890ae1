// SPDX-License-Identifier: Apache-2.0
#include "topology/fabric.hpp"

#include <array>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

#include "src/base/names.hpp"

namespace roce::topology {
namespace {

constexpr std::array<base::Name<FabricClass>, 7> names{{
    {"single", FabricClass::Single},
    {"pair", FabricClass::Pair},
    {"line", FabricClass::Line},
    {"ring", FabricClass::Ring},
    {"mesh", FabricClass::Mesh},
    {"switch", FabricClass::Switch},
    {"partitioned", FabricClass::Partitioned},
}};

FabricClass normalized(FabricClass wanted, int ranks) {
  if (ranks < 1) throw Error(ErrorCode::InvalidArgument, "a fabric needs at least one rank");
  if (ranks == 1) return FabricClass::Single;
  if (wanted == FabricClass::Single || wanted == FabricClass::Partitioned ||
      (wanted == FabricClass::Pair && ranks != 2)) {
    throw Error(ErrorCode::InvalidArgument, "no regular fabric of class " +
                                                std::string(to_string(wanted)) + " joins " +
                                                std::to_string(ranks) + " ranks");
  }
  if (ranks == 2 && wanted != FabricClass::Switch) return FabricClass::Pair;
  return wanted;
}

}  // namespace

std::string_view to_string(FabricClass fabric_class) noexcept {
  return base::name_of(names, fabric_class);
}

FabricClass parse_fabric_class(std::string_view text) {
  return base::value_of(names, text, "fabric");
}

Fabric::Fabric(FabricClass fabric_class, int ranks)
    : ranks_(ranks),
      class_(fabric_class),
      adjacent_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks), false),
      order_(static_cast<std::size_t>(ranks)) {
  std::iota(order_.begin(), order_.end(), 0);
}

Fabric Fabric::make(FabricClass fabric_class, int ranks) {
  Fabric fabric(normalized(fabric_class, ranks), ranks);
  const FabricClass actual = fabric.class_;
  for (int a = 0; a < ranks; ++a) {
    for (int b = 0; b < ranks; ++b) {
      const int distance = std::abs(a - b);
      const bool next = distance == 1;
      const bool around = actual == FabricClass::Ring && distance == ranks - 1;
      const bool everyone = actual != FabricClass::Ring && actual != FabricClass::Line;
      const auto index = static_cast<std::size_t>(a) * static_cast<std::size_t>(ranks) +
                         static_cast<std::size_t>(b);
      fabric.adjacent_[index] = a != b && (next || around || everyone);
    }
  }
  return fabric;
}

Fabric Fabric::from_links(const Links& links, bool switched) {
  const int ranks = links.nodes();
  if (ranks == 1 || links.complete()) {
    return make(switched ? FabricClass::Switch : FabricClass::Mesh, ranks);
  }
  Fabric fabric(FabricClass::Partitioned, ranks);
  for (int a = 0; a < ranks; ++a) {
    for (int b = 0; b < ranks; ++b) {
      fabric.adjacent_[static_cast<std::size_t>(a) * static_cast<std::size_t>(ranks) +
                       static_cast<std::size_t>(b)] = links.linked(a, b);
    }
  }
  for (const FabricClass shape : {FabricClass::Ring, FabricClass::Line}) {
    auto order = path_through_all(links, shape == FabricClass::Ring);
    if (!order) continue;
    fabric.class_ = shape;
    fabric.order_ = std::move(*order);
    break;
  }
  return fabric;
}

}  // namespace roce::topology

// SPDX-License-Identifier: Apache-2.0
#include "topology/fabric.hpp"

#include "roce/status.hpp"
#include "tests/catch.hpp"

using roce::topology::Fabric;
using roce::topology::FabricClass;

TEST_CASE("a ring links neighbours and the two ends") {
  const Fabric ring = Fabric::make(FabricClass::Ring, 5);
  for (int a = 0; a < 5; ++a) {
    for (int b = 0; b < 5; ++b) {
      const int distance = (b - a + 5) % 5;
      CHECK(ring.linked(a, b) == (distance == 1 || distance == 4));
    }
  }
}

TEST_CASE("a line has no link between its ends") {
  const Fabric line = Fabric::make(FabricClass::Line, 4);
  CHECK(line.linked(0, 1));
  CHECK(line.linked(2, 3));
  CHECK_FALSE(line.linked(0, 3));
  CHECK_FALSE(line.linked(0, 2));
}

TEST_CASE("two ranks on any cable are a pair, one rank is single") {
  CHECK(Fabric::make(FabricClass::Ring, 2).fabric_class() == FabricClass::Pair);
  CHECK(Fabric::make(FabricClass::Mesh, 2).fabric_class() == FabricClass::Pair);
  CHECK(Fabric::make(FabricClass::Switch, 2).fabric_class() == FabricClass::Switch);
  CHECK(Fabric::make(FabricClass::Ring, 1).fabric_class() == FabricClass::Single);
}

TEST_CASE("impossible fabrics are refused") {
  CHECK_THROWS_AS(Fabric::make(FabricClass::Pair, 3), roce::Error);
  CHECK_THROWS_AS(Fabric::make(FabricClass::Mesh, 0), roce::Error);
  CHECK_THROWS_AS(roce::topology::parse_fabric_class("star"), roce::Error);
}

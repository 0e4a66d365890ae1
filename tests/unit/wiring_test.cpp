// SPDX-License-Identifier: Apache-2.0
#include "topology/wiring.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "src/schedule/catalog.hpp"
#include "tests/catch.hpp"
#include "topology/fabric.hpp"

using roce::topology::Fabric;
using roce::topology::FabricClass;
using roce::topology::Links;

namespace {

/// A ring, or a line, that visits the nodes in this order.
Links along(const std::vector<int>& order, bool closed) {
  Links links(static_cast<int>(order.size()));
  for (std::size_t i = 1; i < order.size(); ++i) links.link(order[i - 1], order[i]);
  if (closed) links.link(order.back(), order.front());
  return links;
}

std::vector<int> shuffled(int nodes, unsigned seed) {
  std::vector<int> order(static_cast<std::size_t>(nodes));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

void check_order(const Fabric& fabric, const Links& links, bool closed) {
  const std::vector<int>& order = fabric.order();
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (int node = 0; node < links.nodes(); ++node) {
    CHECK(sorted[static_cast<std::size_t>(node)] == node);
  }
  for (std::size_t i = 1; i < order.size(); ++i) CHECK(links.linked(order[i - 1], order[i]));
  if (closed) CHECK(links.linked(order.back(), order.front()));
}

}  // namespace

TEST_CASE("rings and lines are found whatever the order of their nodes") {
  for (const int nodes : {4, 5, 8, 16, 64}) {
    for (unsigned seed = 0; seed < 8; ++seed) {
      CAPTURE(nodes, seed);
      const Links ring = along(shuffled(nodes, seed), true);
      const Fabric as_ring = Fabric::from_links(ring, false);
      CHECK(as_ring.fabric_class() == FabricClass::Ring);
      check_order(as_ring, ring, true);
      const Links line = along(shuffled(nodes, seed), false);
      const Fabric as_line = Fabric::from_links(line, false);
      CHECK(as_line.fabric_class() == FabricClass::Line);
      check_order(as_line, line, false);
    }
  }
}

TEST_CASE("schedules fit a ring whose nodes are out of order") {
  const Fabric fabric = Fabric::from_links(along({0, 3, 1, 4, 2}, true), false);
  using namespace roce::schedule;  // NOLINT(google-build-using-namespace)
  CHECK(offer(find(roce::Collective::AllReduce, "bidirectional_relay"), fabric, 0));
  CHECK(offer(find(roce::Collective::AllReduce, "bidirectional_ring"), fabric, 0));
  CHECK_FALSE(offer(find(roce::Collective::AllReduce, "one_shot"), fabric, 0));
}

TEST_CASE("everybody linked is a pair, a mesh or a switch") {
  Links three = along({0, 1, 2}, true);
  CHECK(Fabric::from_links(three, false).fabric_class() == FabricClass::Mesh);
  CHECK(Fabric::from_links(three, true).fabric_class() == FabricClass::Switch);
  CHECK(Fabric::from_links(along({0, 1}, false), false).fabric_class() == FabricClass::Pair);
  CHECK(Fabric::from_links(Links(1), false).fabric_class() == FabricClass::Single);
}

TEST_CASE("two hosts of a ring with several ranks each stay a ring") {
  // Hosts {0, 1}, {2, 3}, {4, 5}, {6, 7} in a ring: ranks of a host and of neighbours are linked.
  Links links(8);
  for (int a = 0; a < 8; ++a) {
    for (int b = a + 1; b < 8; ++b) {
      const int distance = (b / 2 - a / 2 + 4) % 4;
      if (distance != 2) links.link(a, b);
    }
  }
  const Fabric fabric = Fabric::from_links(links, false);
  CHECK(fabric.fabric_class() == FabricClass::Ring);
  check_order(fabric, links, true);
}

TEST_CASE("what no path visits is partitioned") {
  Links star(5);
  for (int leaf = 1; leaf < 5; ++leaf) star.link(0, leaf);
  CHECK(star.connected());
  CHECK(Fabric::from_links(star, false).fabric_class() == FabricClass::Partitioned);
  Links apart(4);
  apart.link(0, 1);
  apart.link(2, 3);
  CHECK_FALSE(apart.connected());
  const Fabric fabric = Fabric::from_links(apart, false);
  CHECK(fabric.fabric_class() == FabricClass::Partitioned);
  CHECK(fabric.order() == std::vector<int>{0, 1, 2, 3});
}

// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/wait_graph.hpp"

#include "tests/catch.hpp"

using roce::runtime::WaitGraph;

TEST_CASE("notices lead to the rank that gave none, in whatever order they come") {
  WaitGraph graph;
  CHECK(graph.culprit(4) == 4);
  CHECK(graph.add(2, 3));
  CHECK(graph.add(0, 1));
  CHECK(graph.culprit(0) == 1);
  CHECK(graph.add(1, 2));
  CHECK(graph.culprit(0) == 3);
  CHECK(graph.culprit(2) == 3);
  CHECK(graph.culprit(3) == 3);
  CHECK(graph.size() == 3);
}

TEST_CASE("a rank's first notice counts") {
  WaitGraph graph;
  CHECK(graph.add(0, 1));
  CHECK_FALSE(graph.add(0, 2));
  CHECK(graph.culprit(0) == 1);
}

TEST_CASE("the culprit's own late notice is left out") {
  WaitGraph graph;
  CHECK(graph.add(0, 1));
  CHECK(graph.add(1, 2));
  CHECK_FALSE(graph.add(2, 0));
  CHECK(graph.culprit(0) == 2);
  CHECK(graph.culprit(2) == 2);
}

TEST_CASE("notices without a peer, or of a rank about itself, mean nothing") {
  WaitGraph graph;
  CHECK_FALSE(graph.add(0, -1));
  CHECK_FALSE(graph.add(1, 1));
  CHECK(graph.culprit(1) == 1);
  CHECK(graph.size() == 0);
}

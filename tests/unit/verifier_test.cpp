// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/verifier.hpp"

#include "src/schedule/catalog.hpp"
#include "src/schedule/print.hpp"
#include "tests/catch.hpp"

using namespace roce;
using namespace roce::schedule;
using topology::Fabric;
using topology::FabricClass;

TEST_CASE("one-shot") {
  for (int n : {2, 3, 4, 8, 16}) {
    const Fabric mesh = Fabric::make(FabricClass::Mesh, n);
    for (auto c : {Collective::AllReduce, Collective::AllGather}) {
      const auto s = *find(c, "one_shot").make(mesh, 0);
      if (n == 4) WARN(to_text(s));
      auto v = check(s, mesh, 1);
      CHECK(v.fault == Fault::Race);
      if (n == 4) WARN(v.reason);
      v = check(s, mesh, 2);
      CHECK(v.reason == "");
      CHECK(v.sound());
      CHECK(v.numerics == Numerics::RankOrdered);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "tests/catch.hpp"
#include "tests/ranks.hpp"

using namespace roce;
using namespace roce::tests;

TEST_CASE("threads sum their ranks") {
  for (const int ranks : {1, 2, 3, 4, 8}) {
    with_communicators(ranks, test_config(), [&](Communicator& communicator) {
      for (const std::size_t count : {1U, 2U, 7U, 1000U, 300'001U}) {
        std::vector<float> in(count, static_cast<float>(communicator.rank() + 1));
        std::vector<float> out(count, -1);
        for (int repeat = 0; repeat < 5; ++repeat) {
          const Status status =
              communicator.all_reduce(in.data(), out.data(), count, DataType::Float32);
          REQUIRE(status.ok());
        }
        const float expected = static_cast<float>(ranks * (ranks + 1)) / 2;
        CHECK(std::count(out.begin(), out.end(), expected) == static_cast<std::ptrdiff_t>(count));
      }
    });
  }
}

// SPDX-License-Identifier: Apache-2.0
#include "perf/common/statistics.hpp"

#include <numeric>
#include <vector>

#include "tests/catch.hpp"

namespace {

using namespace roce::perf;

TEST_CASE("percentiles are nearest ranks") {
  std::vector<double> samples(100);
  std::iota(samples.rbegin(), samples.rend(), 1.0);
  const IterationStatistics s = summarize(samples);
  CHECK(s.min == 1);
  CHECK(s.max == 100);
  CHECK(s.mean == roce::test::approx(50.5));
  CHECK(s.p50 == 50);
  CHECK(s.p95 == 95);
  CHECK(s.p99 == 99);
}

TEST_CASE("one sample is every percentile") {
  const IterationStatistics s = summarize(std::vector{4.0});
  CHECK(s.p50 == 4);
  CHECK(s.p99 == 4);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
#include "perf/common/axis.hpp"

#include <algorithm>

#include "perf/common/plot.hpp"
#include "roce/status.hpp"
#include "tests/catch.hpp"

namespace {

using namespace roce::perf;

std::size_t labelled(const LogAxis& axis) {
  return static_cast<std::size_t>(std::count_if(
      axis.ticks.begin(), axis.ticks.end(), [](const Tick& tick) { return !tick.label.empty(); }));
}

TEST_CASE("a bytes axis spans its values with few labels") {
  for (const double greatest : {8.0, 9.0, 4096.0, 1e6, 1e9, 1e12}) {
    const LogAxis axis = bytes_axis(8, greatest, 11);
    CHECK(axis.low <= 8);
    CHECK(axis.high >= greatest);
    CHECK(axis.low < axis.high);
    CHECK(labelled(axis) <= 12);
    CHECK(labelled(axis) >= 1);
    CHECK(axis.position(axis.low) == roce::test::approx(0));
    CHECK(axis.position(axis.high) == roce::test::approx(1));
  }
}

TEST_CASE("a time axis has steps of 1, 2 and 5") {
  const LogAxis axis = time_axis(0.31, 4.2);
  CHECK(axis.low == roce::test::approx(0.2));
  CHECK(axis.high == roce::test::approx(5));
  REQUIRE(axis.ticks.size() == 5);
  CHECK(axis.ticks.at(0).label == "0.2");
  CHECK(axis.ticks.at(2).label == "1");
}

TEST_CASE("a time axis of many decades labels powers of ten only") {
  const LogAxis axis = time_axis(1, 1e6);
  CHECK(labelled(axis) == 7);
}

TEST_CASE("a time axis of one value is not empty") {
  const LogAxis axis = time_axis(10, 10);
  CHECK(axis.low == roce::test::approx(10));
  CHECK(axis.high == roce::test::approx(20));
}

TEST_CASE("a plot escapes its labels and refuses to be empty") {
  const Series line{"<a & \"b\">", {{8, 1.5}, {16, 2.5}}, false};
  const std::string svg = plot_svg("t", "s", std::vector{line});
  CHECK(svg.find("&lt;a &amp; &quot;b&quot;&gt;") != std::string::npos);
  CHECK(svg.find("<a &") == std::string::npos);
  CHECK_THROWS_AS(plot_svg("t", "s", {}), roce::Error);
  CHECK_THROWS_AS(plot_svg("t", "s", std::vector{Series{"no points", {}, false}}), roce::Error);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "perf/common/json_report.hpp"
#include "perf/common/report.hpp"
#include "perf/common/series.hpp"
#include "perf/common/table.hpp"
#include "roce/status.hpp"
#include "tests/catch.hpp"

namespace {

using namespace roce::perf;
using nlohmann::json;

Measurement measurement(double us, std::optional<std::size_t> wrong) {
  Measurement m;
  m.elapsed_us = us;
  m.wrong = wrong;
  m.per_iteration = IterationStatistics{1, 9, 2, 3, 7, 8};
  m.plan.schedule = "all_reduce/one_shot";
  return m;
}

RunResult result_of(const std::vector<double>& out_of_place_us) {
  RunResult result;
  result.transport = "shm";
  result.ranks = {{"a", 1, "p", 100, 0, ""}, {"a", 2, "p", 50, 0, ""}};
  for (const double us : out_of_place_us) {
    ResultRow row;
    row.shape = {2000, 8000, 8000};
    row.op = "sum";
    row.out_of_place = measurement(us, 0);
    row.in_place = measurement(4, std::nullopt);
    result.rows.push_back(row);
  }
  return result;
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST_CASE("bus bandwidth of all-reduce is 2(n-1)/n of the algorithm's") {
  const Bandwidth speed = bandwidth(roce::Collective::AllReduce, 8000, 4, 2);
  CHECK(speed.algorithm == roce::test::approx(4));
  CHECK(speed.bus == roce::test::approx(6));
  CHECK(bandwidth(roce::Collective::AllGather, 8000, 4, 2).bus == roce::test::approx(3));
  CHECK(bandwidth(roce::Collective::Broadcast, 8000, 4, 2).bus == roce::test::approx(4));
}

TEST_CASE("a table row has nccl-tests' columns") {
  const RunResult result = result_of({2});
  const Options options;
  CHECK(words(table_row(options, result.rows.at(0), 2)).size() == 13 + 6);
  Options plain;
  RunResult bare = result_of({2});
  bare.rows[0].out_of_place.per_iteration.reset();
  bare.rows[0].in_place->per_iteration.reset();
  CHECK(words(table_row(plain, bare.rows[0], 2)) ==
        std::vector<std::string>{"8000", "2000", "float", "sum", "-1", "2.00", "4.00", "4.00", "0",
                                 "4.00", "2.00", "2.00", "N/A"});
}

TEST_CASE("the header says what is pinned") {
  const std::string header = table_header(Options{}, result_of({}));
  CHECK(header.find("100 B (100 B) a rank, 150 B (150 B) in all") != std::string::npos);
}

TEST_CASE("the footer counts wrong elements") {
  RunResult result = result_of({2, 2});
  result.rows[1].in_place->wrong = 5;
  const Options options;
  summarize(options, result);
  CHECK(result.wrong == 5);
  CHECK(result.average_bus_bandwidth == roce::test::approx(3));
  CHECK(table_footer(options, result).find("Out of bounds values : 5 FAILED") != std::string::npos);
}

TEST_CASE("a wrong element makes the exit status 1") {
  const Options options;
  const RunResult result = result_of({2});
  Report good(options);
  good.begin(result.ranks, "shm");
  good.add(result.rows[0]);
  CHECK(good.end() == 0);
  Report bad(options);
  bad.begin(result.ranks, "shm");
  ResultRow row = result.rows[0];
  row.out_of_place.wrong = 1;
  bad.add(row);
  CHECK(bad.end() == 1);
}

TEST_CASE("files that cannot be written are refused at the start") {
  Options options;
  options.json_file = "/nonexistent/report.json";
  CHECK_THROWS_AS(Report(options), roce::Error);
}

TEST_CASE("numbers keep to their width") {
  CHECK(fixed_width(1.234, 6) == "1.23");
  CHECK(fixed_width(12345.6, 7) == "12345.6");
  CHECK(fixed_width(1234567.8, 7) == "1234568");
  CHECK(fixed_width(123456789.0, 7) == "1.2e+08");
}

TEST_CASE("the report shows our variables and no secret") {
  ::setenv("ROCE_SECRET", "00112233445566778899aabbccddeeff", 1);
  ::setenv("ROCE_RENDEZVOUS", "h:1/ffeeddccbbaa99887766554433221100", 1);
  ::setenv("OTHER_VARIABLE", "private", 1);
  const std::string text = json_report(Options{}, result_of({2}));
  ::unsetenv("ROCE_SECRET");
  ::unsetenv("ROCE_RENDEZVOUS");
  ::unsetenv("OTHER_VARIABLE");
  CHECK(text.find("00112233") == std::string::npos);
  CHECK(text.find("ffeeddcc") == std::string::npos);
  CHECK(text.find("private") == std::string::npos);
  const json report = json::parse(text);
  CHECK(report.at("env").size() >= 2);
  const json& row = report.at("results").at(0);
  CHECK(row.at("out_of_place").at("time") == 2);
  CHECK(row.at("in_place").at("nwrong").is_null());
  CHECK(row.at("out_of_place_per_iter").at("p95_us") == 7);
}

TEST_CASE("a report's lines average the cycles of a size") {
  const auto lines = series_of_report(json_report(Options{}, result_of({2, 6})), "run");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].label == "run, out-of-place");
  REQUIRE(lines[0].points.size() == 1);
  CHECK(lines[0].points[0].us == roce::test::approx(4));
  CHECK(lines[1].dashed);
}

TEST_CASE("what is no report is refused by name") {
  for (const char* text : {"", "{}", "[1]", "{\"results\": [{}]}"}) {
    try {
      static_cast<void>(series_of_report(text, "some.json"));
      FAIL("accepted");
    } catch (const roce::Error& error) {
      CHECK(std::string(error.what()).find("some.json") != std::string::npos);
    }
  }
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
#include "perf/common/options.hpp"

#include "perf/common/size.hpp"
#include "roce/status.hpp"
#include "tests/catch.hpp"

namespace {

using namespace roce::perf;
using roce::Collective;

ParsedOptions parse(std::vector<const char*> words, Collective c = Collective::AllReduce) {
  words.insert(words.begin(), "program");
  return parse_options(c, static_cast<int>(words.size()), words.data());
}

std::vector<std::size_t> sizes(const Options& options) {
  std::vector<std::size_t> all;
  for (std::optional<std::size_t> s = options.min_bytes; s; s = options.size_after(*s)) {
    all.push_back(*s);
  }
  return all;
}

TEST_CASE("sizes take units") {
  CHECK(parse_size("8") == 8);
  CHECK(parse_size("1K") == 1024);
  CHECK(parse_size("1.5m") == 3U << 19);
  CHECK(parse_size("2G") == std::size_t{2} << 30);
  for (const char* bad : {"", "K", "1X", "-1", "1KB", "nan", "1e40"}) {
    CHECK_THROWS_AS(parse_size(bad), roce::Error);
  }
  CHECK(format_size(0) == "0 B");
  CHECK(format_size(1536) == "1.5 KiB");
  CHECK(format_size(1025) == "1 KiB");
}

TEST_CASE("sizes go by factor or by step and end at -e") {
  CHECK(sizes(*parse({"-b", "8", "-e", "70", "-f", "2"}).options) ==
        std::vector<std::size_t>{8, 16, 32, 64});
  CHECK(sizes(*parse({"-b", "0", "-e", "16", "-i", "8"}).options) ==
        std::vector<std::size_t>{0, 8, 16});
  CHECK(sizes(*parse({"-b", "0", "-e", "0", "-f", "2"}).options) == std::vector<std::size_t>{0});
  CHECK(sizes(*parse({"-b", "7E18", "-e", "8E18", "-f", "2"}).options).size() == 1);
  CHECK(sizes(*parse({}).options) == std::vector<std::size_t>{std::size_t{32} << 20});
}

TEST_CASE("all types, operators and roots") {
  CHECK(parse({"-d", "all"}).options->types.size() == 12);
  CHECK(parse({"-o", "all"}).options->ops.size() == 6);
  CHECK(parse({"-r", "all"}, Collective::Broadcast).options->root == -1);
  CHECK(parse({"-o", "all"}, Collective::AllGather).options->ops.size() == 1);
}

TEST_CASE("what cannot be run is refused with status 2 and a reason") {
  const std::vector<std::pair<std::vector<const char*>, const char*>> refused{
      {{"-g", "2"}, "-g 2"},          {{"-G", "1"}, "CUDA graph"},
      {{"-b", "4", "-e", "2"}, "-b"}, {{"-i", "0"}, "-i"},
      {{"-b", "0", "-f", "2"}, "-b"}, {{"-d", "float7"}, "float7"},
      {{"-o", "xor"}, "xor"},         {{"-r", "-2"}, "-r"},
      {{"-n", "0"}, "--iters"},       {{"--compare", "/"}, "--comp"},
      {{"-z", "4"}, "--blocking"},    {{"stray"}, "stray"}};
  for (const auto& [words, reason] : refused) {
    const ParsedOptions parsed = parse(words);
    INFO(reason);
    CHECK_FALSE(parsed.options.has_value());
    CHECK(parsed.exit_status == 2);
    CHECK(parsed.message.find(reason) != std::string::npos);
  }
  CHECK(parse({"--plot", "x.svg"}, Collective::Barrier).exit_status == 2);
}

TEST_CASE("help names every option and is no error") {
  const ParsedOptions parsed = parse({"--help"});
  CHECK_FALSE(parsed.options.has_value());
  CHECK(parsed.exit_status == 0);
  for (const char* option : {"-t,",
                             "-g,",
                             "-b,",
                             "-e,",
                             "-i,",
                             "-f,",
                             "-n,",
                             "-w,",
                             "-m,",
                             "-N,",
                             "-c,",
                             "-o,",
                             "-d,",
                             "-r,",
                             "-z,",
                             "-a,",
                             "-G,",
                             "-C,",
                             "-J,",
                             "-T,",
                             "-R,",
                             "-h,",
                             "--percentiles",
                             "--schedule",
                             "--transport",
                             "--numerics",
                             "--plot",
                             "--compare",
                             "--show-schedule"}) {
    INFO(option);
    CHECK(parsed.message.find(option) != std::string::npos);
  }
}

}  // namespace

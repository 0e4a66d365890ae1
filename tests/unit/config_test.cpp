// SPDX-License-Identifier: Apache-2.0
#include "roce/config.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "roce/status.hpp"
#include "src/base/setting.hpp"
#include "src/base/setting_types.hpp"
#include "tests/catch.hpp"
#include "tests/unit/environment.hpp"

using namespace std::chrono_literals;
using Catch::Contains;
using roce::Config;
using roce::ConfigSource;
using roce::test::Environment;

namespace {

class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("roce_config_test_" + std::to_string(::getpid()))) {
    std::ofstream(path_) << text;
  }
  ~ConfigFile() { std::filesystem::remove(path_); }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

Config::Row row_of(const Config& config, std::string_view variable) {
  for (const auto& row : config.describe()) {
    if (row.variable == variable) return row;
  }
  throw std::runtime_error("no row");
}

}  // namespace

TEST_CASE("without variables every setting has its default") {
  const Environment environment({});
  const Config config = Config::from_environment();
  CHECK(config.sources.empty());
  for (const auto& row : config.describe()) {
    CHECK(row.value == row.default_value);
    CHECK(row.source == ConfigSource::Default);
    CHECK_FALSE(row.description.empty());
  }
}

TEST_CASE("every printed value is read back as the same value") {
  Config config;
  for (const auto& row : config.describe()) config.set(row.variable, row.value);
  const auto again = config.describe();
  for (const auto& row : again) CHECK(row.value == row.default_value);
}

TEST_CASE("each kind of value is read from the environment") {
  const Environment environment({{"ROCE_TIMEOUT", "250"},
                                 {"ROCE_CONNECT_TIMEOUT", "30s"},
                                 {"ROCE_SLOT_MEMORY", "2M"},
                                 {"ROCE_SEGMENT", "96KiB"},
                                 {"ROCE_TRANSPORT", "shm"},
                                 {"ROCE_NUMERICS", "rank_ordered"},
                                 {"ROCE_SCHEDULE", "all_reduce/one_shot"},
                                 {"ROCE_SPIN", "20us"},
                                 {"ROCE_HOSTID", "a"},
                                 {"ROCE_CHAOS_SEED", "18446744073709551615"},
                                 {"ROCE_DEBUG", "init,plan"}});
  const Config config = Config::from_environment();
  CHECK(config.timeout == 250ms);
  CHECK(config.connect_timeout == 30s);
  CHECK(config.slot_memory == 2u << 20);
  CHECK(config.segment == 96u << 10);
  CHECK(config.transport == roce::TransportKind::Shm);
  CHECK(config.numerics == roce::Numerics::RankOrdered);
  CHECK(config.schedule == "all_reduce/one_shot");
  CHECK(config.spin == 20us);
  CHECK(config.host_id == "a");
  CHECK(config.chaos_seed == UINT64_MAX);
  CHECK(config.debug == "init,plan");
  CHECK(config.sources.size() == 11);
}

TEST_CASE("code wins over the environment, the environment over the file") {
  const ConfigFile file("# a comment\n\n ROCE_TIMEOUT = 1s \nROCE_SPIN=5us\r\nROCE_SEGMENT=4K\n");
  const Environment environment(
      {{"ROCE_CONFIG", file.path()}, {"ROCE_SPIN", "6us"}, {"ROCE_SEGMENT", "8K"}});
  Config config = Config::from_environment();
  config.set("ROCE_SEGMENT", "16K");
  CHECK(row_of(config, "ROCE_TIMEOUT").value == "1s");
  CHECK(row_of(config, "ROCE_TIMEOUT").source == ConfigSource::File);
  CHECK(row_of(config, "ROCE_SPIN").value == "6us");
  CHECK(row_of(config, "ROCE_SPIN").source == ConfigSource::Environment);
  CHECK(row_of(config, "ROCE_SEGMENT").value == "16K");
  CHECK(row_of(config, "ROCE_SEGMENT").source == ConfigSource::Code);
  CHECK(row_of(config, "ROCE_DEBUG").source == ConfigSource::Default);
}

TEST_CASE("an empty variable is unset, and set() to nothing goes back to the default") {
  const ConfigFile file("ROCE_TIMEOUT=2s\nROCE_SPIN=\n");
  const Environment environment(
      {{"ROCE_CONFIG", file.path()}, {"ROCE_TIMEOUT", ""}, {"ROCE_NO_SUCH", ""}});
  Config config = Config::from_environment();
  CHECK(config.timeout == 2s);
  CHECK(config.spin == -1us);
  config.set("ROCE_TIMEOUT", "");
  CHECK(config.timeout == 60s);
  CHECK(config.sources.empty());
}

TEST_CASE("an unknown variable is refused with the nearest known one") {
  const auto [name, nearest] = GENERATE(table<const char*, const char*>({
      {"ROCE_TIMOUT", "ROCE_TIMEOUT"},
      {"ROCE_CONECT_TIMEOUT", "ROCE_CONNECT_TIMEOUT"},
      {"ROCE_RNAK", "ROCE_RANK"},
      {"ROCE_SHEDULE", "ROCE_SCHEDULE"},
      {"ROCE_HOST_ID", "ROCE_HOSTID"},
  }));
  const Environment environment(Environment::Variables{{name, "1"}});
  CHECK_THROWS_WITH(Config::from_environment(), Contains(name) && Contains(nearest));
}

TEST_CASE("the launcher's variables are known, but no settings") {
  const Environment environment(
      {{"ROCE_RANK", "0"}, {"ROCE_SIZE", "1"}, {"ROCE_LOCAL_RANK", "0"}, {"ROCE_SECRET", "x"}});
  CHECK_NOTHROW(Config::from_environment());
  Config config;
  CHECK_THROWS_WITH(config.set("ROCE_RANK", "1"), Contains("launcher"));
}

TEST_CASE("a value that is not valid is refused with variable, value and what is valid") {
  const auto [variable, value] = GENERATE(table<const char*, const char*>({
      {"ROCE_TIMEOUT", "0"},
      {"ROCE_TIMEOUT", "-5s"},
      {"ROCE_TIMEOUT", "5 s"},
      {"ROCE_TIMEOUT", "5lightyears"},
      {"ROCE_TIMEOUT", "500us"},
      {"ROCE_TIMEOUT", "25h"},
      {"ROCE_TIMEOUT", "99999999999999999999s"},
      {"ROCE_TIMEOUT", "auto"},
      {"ROCE_SLOT_MEMORY", "1K"},
      {"ROCE_SLOT_MEMORY", "8X"},
      {"ROCE_SLOT_MEMORY", "99999999999999G"},
      {"ROCE_SEGMENT", "63"},
      {"ROCE_TRANSPORT", "SHM"},
      {"ROCE_NUMERICS", "exact"},
      {"ROCE_SPIN", "-2"},
      {"ROCE_CHAOS_SEED", "0x10"},
      {"ROCE_CHAOS_SEED", "18446744073709551616"},
      {"ROCE_SCHEDULE", "two words"},
  }));
  Config config;
  CHECK_THROWS_WITH(config.set(variable, value),
                    Contains(std::string(variable) + "=" + value) && Contains("give "));
  CHECK(config.sources.empty());
}

TEST_CASE("errors in the file name file and line") {
  const auto [text, expected] = GENERATE(table<const char*, const char*>({
      {"ROCE_TIMEOUT=1s\nnonsense\n", ":2: 'nonsense' is not of the form KEY=VALUE"},
      {"=5\n", ":1: "},
      {"\n\nROCE_TIMEOUT=never\n", ":3: ROCE_TIMEOUT=never is not valid"},
      {"TIMEOUT=1\n", ":1: TIMEOUT is no setting; did you mean ROCE_TIMEOUT?"},
      {"ROCE_RANK=1\n", ":1: ROCE_RANK is a launcher's variable"},
  }));
  const ConfigFile file(text);
  const Environment environment(Environment::Variables{{"ROCE_CONFIG", file.path()}});
  CHECK_THROWS_WITH(Config::from_environment(), Contains(file.path() + expected));
}

TEST_CASE("a file that is not there is named with the reason") {
  const Environment environment(Environment::Variables{{"ROCE_CONFIG", "/nonexistent/roce.conf"}});
  CHECK_THROWS_WITH(Config::from_environment(),
                    Contains("/nonexistent/roce.conf") && Contains("No such file"));
}

TEST_CASE("durations, sizes and booleans are printed as people write them") {
  CHECK(roce::base::print_duration(60s) == "60s");
  CHECK(roce::base::print_duration(20min) == "20min");
  CHECK(roce::base::print_duration(2h) == "2h");
  CHECK(roce::base::print_duration(1500ms) == "1500ms");
  CHECK(roce::base::print_duration(0us) == "0us");
  CHECK(roce::base::print_size(8u << 20) == "8M");
  CHECK(roce::base::print_size(1536) == "1536");
  CHECK(roce::base::BooleanType{}.parse("yes") == true);
  CHECK(roce::base::BooleanType{}.parse("off") == false);
  CHECK_FALSE(roce::base::BooleanType{}.parse("maybe"));
}

TEST_CASE("the edit distance counts typing errors") {
  CHECK(roce::base::edit_distance("", "abc") == 3);
  CHECK(roce::base::edit_distance("abc", "abc") == 0);
  CHECK(roce::base::edit_distance("abc", "acb") == 1);
  CHECK(roce::base::edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("ROCE_DEBUG takes only the subjects that there are") {
  Config config;
  for (const char* good : {"init", "plan", "plan,init", "init,plan"}) {
    CHECK_NOTHROW(config.set("ROCE_DEBUG", good));
  }
  for (const char* bad : {"all", "init,", ",init", "init,,plan", "init plan"}) {
    CHECK_THROWS_AS(config.set("ROCE_DEBUG", bad), roce::Error);
  }
}

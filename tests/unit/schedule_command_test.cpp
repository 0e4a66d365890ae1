// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/catch.hpp"

using roce::test::contains;

namespace {

struct Output {
  int status = -1;
  std::string text;  ///< standard output and error
};

Output rocectl(const std::string& arguments) {
  const std::string command = std::string(ROCE_BINARY_DIR) + "/rocectl " + arguments + " 2>&1";
  Output output;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  for (std::size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    output.text.append(buffer, got);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) output.status = WEXITSTATUS(status);
  return output;
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / (name + std::to_string(getpid()))) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("schedule list names every schedule with its collective") {
  const Output output = rocectl("schedule list");
  CHECK(output.status == 0);
  CHECK_THAT(output.text, contains("all_reduce      two_shot"));
  CHECK_THAT(output.text, contains("barrier         dissemination"));
}

TEST_CASE("schedule show prints operations and facts") {
  const Output output = rocectl("schedule show one_shot -n 4");
  CHECK(output.status == 0);
  CHECK_THAT(output.text, contains("reduce out <- slot0 slot1 slot2 slot3"));
  CHECK_THAT(output.text, contains("depth 2  flush no  rank_ordered  hops 1  puts 3"));
  const Output rank = rocectl("schedule show all_gather/one_shot -n 3 --fabric switch --rank 2");
  CHECK(rank.status == 0);
  CHECK_THAT(rank.text, contains("rank 2") && !contains("rank 1"));
  const Output root =
      rocectl("schedule show chain --collective broadcast -n 4 --fabric line --root 2");
  CHECK(root.status == 0);
  CHECK_THAT(root.text, contains("root 2"));
}

TEST_CASE("schedule show says why something is not offered, and what the names are") {
  const Output link = rocectl("schedule show one_shot -n 4 --fabric ring");
  CHECK(link.status == 2);
  CHECK_THAT(link.text, contains("not offered on a ring of 4: no link 0-2"));
  const Output name = rocectl("schedule show two_shots");
  CHECK(name.status == 2);
  CHECK_THAT(name.text, contains("use one of one_shot, two_shot"));
  CHECK(rocectl("schedule show one_shot --fabric star").status == 2);
  CHECK(rocectl("schedule show one_shot --rank 4").status == 2);
  CHECK(rocectl("schedule show broadcast/flat --root 4").status == 2);
  CHECK(rocectl("schedule show one_shot -n 0").status != 0);
  CHECK(rocectl("schedule").status != 0);
}

TEST_CASE("schedule verify prints a line a schedule, a summary, and the same as JSON") {
  const TemporaryFile file("roce_schedule_verify");
  const Output output = rocectl("schedule verify --max-ranks 5 --json " + file.path().string());
  CHECK(output.status == 0);
  CHECK_THAT(output.text, contains("numerics") && contains(" 0 unsound"));
  std::ifstream stream(file.path());
  const auto rows = nlohmann::json::parse(stream);
  REQUIRE(rows.size() > 100);
  for (const auto& row : rows) CHECK(row.at("sound").get<bool>());
  CHECK(rows.front().at("collective") == "all_reduce");
  CHECK_THAT(output.text, contains(std::to_string(rows.size()) + " schedules sound"));
  CHECK(rocectl("schedule verify --max-ranks 2 --json /nonexistent/file").status == 2);
  CHECK_THAT(rocectl("schedule verify --help").text, contains("--max-ranks"));
}

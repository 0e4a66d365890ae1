// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/catch.hpp"
#include "tests/multiproc/rank_group.hpp"

using namespace std::chrono_literals;
using Catch::Contains;
using roce::test::RankProcess;

namespace {

using Clock = std::chrono::steady_clock;

// A folder that goes with the test, and in it what rocectl wrote.
class Sandbox {
 public:
  Sandbox() {
    std::string pattern = (std::filesystem::temp_directory_path() / "roce_run_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = pattern;
  }
  ~Sandbox() { std::filesystem::remove_all(folder_); }
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(path(name));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path folder_;
};

void redirect(const std::string& path, int target, int flags) {
  const int fd = ::open(path.c_str(), flags, 0600);
  if (fd < 0 || ::dup2(fd, target) < 0) ::_exit(98);
}

// Starts `rocectl run` with these words; its output goes to the sandbox.
RankProcess start(const Sandbox& sandbox, const std::vector<std::string>& words,
                  const std::string& input = "/dev/null") {
  return {0, [&](int) {
            redirect(input, STDIN_FILENO, O_RDONLY);
            redirect(sandbox.path("out"), STDOUT_FILENO, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
            redirect(sandbox.path("err"), STDERR_FILENO, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
            std::vector<std::string> all{ROCE_BINARY_DIR "/rocectl", "run"};
            all.insert(all.end(), words.begin(), words.end());
            std::vector<char*> arguments;
            for (auto& word : all) arguments.push_back(word.data());
            arguments.push_back(nullptr);
            ::execv(arguments[0], arguments.data());
            return 97;
          }};
}

// `script` runs in sh on each rank, with the sandbox's folder as $1.
RankProcess start_script(const Sandbox& sandbox, std::vector<std::string> options,
                         const std::string& script) {
  for (const std::string& word : {std::string("--"), std::string("sh"), std::string("-c"), script,
                                  std::string("sh"), sandbox.path("")}) {
    options.push_back(word);
  }
  return start(sandbox, options);
}

void await_file(const std::string& path) {
  for (const auto end = Clock::now() + 20s; Clock::now() < end; std::this_thread::sleep_for(5ms)) {
    if (std::filesystem::exists(path)) return;
  }
  throw std::runtime_error("no file " + path);
}

// True once no process has this number any more, or only a zombie has.
bool ends(const std::string& pid) {
  for (const auto end = Clock::now() + 10s; Clock::now() < end; std::this_thread::sleep_for(5ms)) {
    std::ifstream stat("/proc/" + pid + "/stat");
    std::string text;
    if (!std::getline(stat, text)) return true;
    if (text.find(") Z ") != std::string::npos) return true;
  }
  return false;
}

std::string word(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

TEST_CASE("each rank finds its place in the environment") {
  const Sandbox sandbox;
  CHECK(start_script(sandbox, {"-n", "3"},
                     "echo $ROCE_RANK $ROCE_SIZE $ROCE_LOCAL_RANK $ROCE_RENDEZVOUS > "
                     "$1/rank$ROCE_RANK")
            .wait() == 0);
  const std::string first = sandbox.read("rank0");
  CHECK_THAT(first, Catch::StartsWith("0 3 0 127.0.0.1:"));
  const std::string rendezvous = first.substr(6);
  CHECK(sandbox.read("rank1") == "1 3 1 " + rendezvous);
  CHECK(sandbox.read("rank2") == "2 3 2 " + rendezvous);
}

TEST_CASE("the first failure's status is passed on and named, and the others are ended") {
  const Sandbox sandbox;
  const auto begin = Clock::now();
  CHECK(
      start_script(sandbox, {"-n", "4"}, "if [ $ROCE_RANK = 2 ]; then exit 7; fi; sleep 60 & wait")
          .wait() == 7);
  CHECK(Clock::now() - begin < 10s);
  CHECK(sandbox.read("err") == "rocectl: rank 2 ended with status 7; ending the other 3\n");
}

TEST_CASE("a signal's number is added to 128") {
  const Sandbox sandbox;
  CHECK(
      start_script(sandbox, {"-n", "2"}, "if [ $ROCE_RANK = 1 ]; then kill -SEGV $$; fi; sleep 60")
          .wait() == 128 + SIGSEGV);
  CHECK_THAT(sandbox.read("err"), Contains("rank 1 was ended by signal 11"));
}

TEST_CASE("a rank that ignores SIGTERM is killed after a grace, with its children") {
  const Sandbox sandbox;
  const auto begin = Clock::now();
  CHECK(start_script(sandbox, {"-n", "2"},
                     "if [ $ROCE_RANK = 1 ]; then while [ ! -e $1/child ]; do sleep 0.01; done; "
                     "exit 3; fi; trap '' TERM; sleep 60 & echo $! > $1/c; mv $1/c $1/child; wait; "
                     "wait; sleep 60")
            .wait() == 3);
  CHECK(Clock::now() - begin > 4s);
  CHECK(Clock::now() - begin < 20s);
  CHECK(ends(word(sandbox.read("child"))));
}

TEST_CASE("what the ranks leave running is ended with the job") {
  const Sandbox sandbox;
  CHECK(start_script(sandbox, {"-n", "1", "--prefix"}, "sleep 60 & echo $! > $1/child").wait() ==
        0);
  CHECK(ends(word(sandbox.read("child"))));
}

TEST_CASE("killing rocectl leaves no orphan, not even a rank's child") {
  const Sandbox sandbox;
  auto job = start_script(sandbox, {"-n", "2"},
                          "sleep 60 & echo $! > $1/c$ROCE_RANK; echo $$ > $1/p$ROCE_RANK; "
                          "touch $1/ready$ROCE_RANK; wait");
  await_file(sandbox.path("ready0"));
  await_file(sandbox.path("ready1"));
  job.kill();
  CHECK(job.wait() == 128 + SIGKILL);
  for (const char* name : {"c0", "c1", "p0", "p1"}) CHECK(ends(word(sandbox.read(name))));
}

TEST_CASE("SIGINT and SIGTERM are passed on") {
  const Sandbox sandbox;
  const auto [signal, name] =
      GENERATE(table<int, const char*>({{SIGINT, "INT"}, {SIGTERM, "TERM"}}));
  auto job = start_script(sandbox, {"-n", "2"},
                          std::string("trap 'touch $1/got$ROCE_RANK; exit 0' ") + name +
                              "; touch $1/ready$ROCE_RANK; while :; do sleep 0.02; done");
  await_file(sandbox.path("ready0"));
  await_file(sandbox.path("ready1"));
  job.send(signal);
  CHECK(job.wait() == 0);
  CHECK(std::filesystem::exists(sandbox.path("got0")));
  CHECK(std::filesystem::exists(sandbox.path("got1")));
}

TEST_CASE("a second SIGINT kills") {
  const Sandbox sandbox;
  auto job = start_script(sandbox, {"-n", "1"},
                          "trap 'touch $1/got' INT; touch $1/ready; while :; do sleep 0.02; done");
  await_file(sandbox.path("ready"));
  job.send(SIGINT);
  await_file(sandbox.path("got"));
  job.send(SIGINT);
  CHECK(job.wait() == 128 + SIGKILL);
}

TEST_CASE("--prefix keeps lines whole, long ones too, and stdout and stderr apart") {
  const Sandbox sandbox;
  CHECK(start_script(sandbox, {"-n", "3", "--prefix"},
                     "line=$(head -c 200000 /dev/zero | tr '\\0' x); for i in 1 2 3; do echo "
                     "$line; done; echo problem >&2; printf 'no newline'")
            .wait() == 0);
  std::istringstream out(sandbox.read("out"));
  std::string line;
  std::vector<int> long_lines(3);
  std::vector<int> last_lines(3);
  while (std::getline(out, line)) {
    REQUIRE(line.size() > 4);
    const auto rank = static_cast<std::size_t>(line[1] - '0');
    REQUIRE(rank < 3);
    const std::string prefix = fmt::format("[{}] ", rank);
    if (line == prefix + std::string(200'000, 'x')) ++long_lines[rank];
    if (line == prefix + "no newline") ++last_lines[rank];
  }
  CHECK(long_lines == std::vector<int>{3, 3, 3});
  CHECK(last_lines == std::vector<int>{1, 1, 1});
  const std::string err = sandbox.read("err");
  for (const char* expected : {"[0] problem\n", "[1] problem\n", "[2] problem\n"}) {
    CHECK_THAT(err, Contains(expected));
  }
}

TEST_CASE("stdin goes to rank 0 only") {
  const Sandbox sandbox;
  std::ofstream(sandbox.path("in")) << "some input\n";
  CHECK(start(sandbox, {"-n", "2", "--prefix", "--", "cat"}, sandbox.path("in")).wait() == 0);
  CHECK(sandbox.read("out") == "[0] some input\n");
}

TEST_CASE("a job that runs too long is ended with 124") {
  const Sandbox sandbox;
  CHECK(start(sandbox, {"-n", "2", "--timeout", "200ms", "--", "sleep", "60"}).wait() == 124);
  CHECK_THAT(sandbox.read("err"), Contains("longer than 200 ms"));
}

TEST_CASE("a program that cannot be started is 127 or 126, with the reason") {
  const Sandbox sandbox;
  CHECK(start(sandbox, {"-n", "2", "--", "no-such-program-here"}).wait() == 127);
  CHECK_THAT(sandbox.read("err"), Contains("'no-such-program-here': No such file"));
  CHECK(start(sandbox, {"-n", "2", "--", "/"}).wait() == 126);
  CHECK_THAT(sandbox.read("err"), Contains("Permission denied"));
}

TEST_CASE("the program's words are passed on as they are") {
  const Sandbox sandbox;
  const std::vector<std::string> words{
      "-n", "1",  "--", "sh",    "-c",       "printf '<%s>' \"$@\"", "name", "--help",
      "",   "--", "-n", "[a,b]", "two words"};
  CHECK(start(sandbox, words).wait() == 0);
  CHECK(sandbox.read("out") == "<--help><><--><-n><[a,b]><two words>");
}

TEST_CASE("--bind core gives each rank one core") {
  const Sandbox sandbox;
  CHECK(start_script(sandbox, {"-n", "2", "--bind", "core"},
                     "grep Cpus_allowed_list /proc/self/status > $1/cores$ROCE_RANK")
            .wait() == 0);
  for (const char* name : {"cores0", "cores1"}) {
    CHECK(sandbox.read(name).find_first_of(",-") == std::string::npos);
    CHECK_FALSE(sandbox.read(name).empty());
  }
}

TEST_CASE("wrong use is refused before anything starts") {
  const Sandbox sandbox;
  CHECK(start(sandbox, {"-n", "2"}).wait() != 0);
  CHECK(start(sandbox, {"-n", "0", "--", "true"}).wait() != 0);
  CHECK(start(sandbox, {"--", "true"}).wait() != 0);
  CHECK(start(sandbox, {"-n", "1", "--timeout", "soon", "--", "true"}).wait() != 0);
  CHECK(start(sandbox, {"-n", "1", "--bind", "socket", "--", "true"}).wait() != 0);
}

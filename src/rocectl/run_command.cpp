// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string_view>

#include "roce/status.hpp"
#include "src/base/setting_types.hpp"
#include "src/rocectl/command.hpp"
#include "src/rocectl/job.hpp"

namespace roce::rocectl {
namespace {

constexpr int most_ranks = 1024;

const base::DurationType<std::chrono::milliseconds> timeout_type{
    .least = std::chrono::milliseconds{1}, .most = std::chrono::hours{24 * 365}};

std::string check_timeout(const std::string& text) {
  return timeout_type.parse(text) ? std::string{} : "give " + timeout_type.valid();
}

}  // namespace

std::vector<std::string> take_program_words(int& argc, char** argv) {
  char** const end = argv + argc;
  char** const mark = std::find_if(argv, end, [](std::string_view word) { return word == "--"; });
  if (mark == end || std::string_view(argv[1]) != "run") return {};
  argc = static_cast<int>(mark - argv);
  return {mark + 1, end};
}

void add_run_command(CLI::App& app, Action& action, std::vector<std::string> program) {
  struct Arguments {
    JobOptions job;
    std::string timeout;
    std::string bind = "none";
  };
  const auto arguments = std::make_shared<Arguments>();
  arguments->job.arguments = std::move(program);
  CLI::App* command = app.add_subcommand("run", "start local ranks of a program");
  command->footer(
      "Usage: rocectl run -n RANKS [OPTIONS] -- PROGRAM [ARGUMENTS]\n"
      "Example: rocectl run -n 4 --prefix -- ./program --its-option\n"
      "Each rank finds ROCE_RANK, ROCE_SIZE, ROCE_LOCAL_RANK and ROCE_RENDEZVOUS in its "
      "environment; stdin\ngoes to rank 0. When a rank fails the others are ended and its status "
      "is passed on (128 + signal\nwhen a signal ended it). 124: out of time; 127: no such "
      "program.");
  command->add_option("-n,--ranks", arguments->job.size, "number of ranks")
      ->required()
      ->check(CLI::Range(1, most_ranks));
  command->add_flag("--prefix", arguments->job.prefix, "begin each line of output with [rank]");
  command
      ->add_option("--timeout", arguments->timeout,
                   "end the job after this long, for example 30s, 5min; a plain number counts ms")
      ->check(CLI::Validator(check_timeout, "DURATION"));
  command
      ->add_option("--bind", arguments->bind,
                   "none, or core: rank i runs on the i-th core only, counted round")
      ->check(CLI::IsMember({"none", "core"}));
  command->callback([arguments, &action] {
    if (arguments->job.arguments.empty()) throw CLI::RequiredError("-- PROGRAM");
    action = [arguments] {
      JobOptions& job = arguments->job;
      if (!arguments->timeout.empty()) job.timeout = timeout_type.parse(arguments->timeout);
      job.bind_to_cores = arguments->bind == "core";
      return Job(job).run();
    };
  });
}

}  // namespace roce::rocectl

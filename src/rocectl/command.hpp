// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace roce::rocectl {

/// A subcommand adds itself to the application and, when it was the one chosen, puts what to do
/// into `action`; the action's result is the exit status.
using Action = std::function<int()>;

void add_schedule_command(CLI::App& app, Action& action);
/// `program` holds the words of the program to run.
void add_run_command(CLI::App& app, Action& action, std::vector<std::string> program);
void add_config_command(CLI::App& app, Action& action);

/// Cuts the words after "--" off a command line of `rocectl run` and returns them. CLI11 must not
/// see them: it acts on a --help behind "--" and cuts "[a,b]" into two words.
[[nodiscard]] std::vector<std::string> take_program_words(int& argc, char** argv);

}  // namespace roce::rocectl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace roce::rocectl {

/// A subcommand adds itself to the application and, when it was the one chosen, puts what to do
/// into `action`; the action's result is the exit status.
using Action = std::function<int()>;

void add_schedule_command(CLI::App& app, Action& action);
void add_run_command(CLI::App& app, Action& action);
void add_config_command(CLI::App& app, Action& action);

}  // namespace roce::rocectl

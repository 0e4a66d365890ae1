// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "src/rocectl/command.hpp"

int main(int argc, char** argv) {
  CLI::App app{"rocectl: look at and run collectives over RoCE and shared memory", "rocectl"};
  app.require_subcommand(1);
  roce::rocectl::Action action;
  roce::rocectl::add_schedule_command(app, action);
  roce::rocectl::add_config_command(app, action);
  roce::rocectl::add_run_command(app, action, roce::rocectl::take_program_words(argc, argv));
  CLI11_PARSE(app, argc, argv);
  try {
    return action();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rocectl: %s\n", error.what());
    return 2;
  }
}

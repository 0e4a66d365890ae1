// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "roce/config.hpp"
#include "src/base/setting.hpp"
#include "src/rocectl/command.hpp"

namespace roce::rocectl {
namespace {

std::string shown(std::string value, base::LauncherVariable::Shown how) {
  using Shown = base::LauncherVariable::Shown;
  if (value.empty() || how == Shown::Whole) return value;
  const auto slash = value.find('/');
  if (how == Shown::BeforeSlash && slash == std::string::npos) return value;
  return (how == Shown::BeforeSlash ? value.substr(0, slash + 1) : std::string{}) + "(hidden)";
}

// Launchers' variables are no settings; they are listed as found.
std::vector<Config::Row> launcher_rows() {
  std::vector<Config::Row> rows;
  for (const auto& variable : base::launcher_variables()) {
    const char* text = std::getenv(std::string(variable.variable).c_str());
    const std::string value = text == nullptr ? "" : text;
    rows.push_back({.variable = std::string(variable.variable),
                    .value = shown(value, variable.shown),
                    .default_value = "",
                    .source = value.empty() ? ConfigSource::Default : ConfigSource::Environment,
                    .description = std::string(variable.description)});
  }
  return rows;
}

std::string cell(const std::string& text) { return text.empty() ? "-" : text; }

void print_table(const std::vector<Config::Row>& rows) {
  std::size_t variable = 8;
  std::size_t value = 5;
  std::size_t fallback = 7;
  for (const auto& row : rows) {
    variable = std::max(variable, row.variable.size());
    value = std::max(value, row.value.size());
    fallback = std::max(fallback, row.default_value.size());
  }
  const auto line = [&](const auto& a, const auto& b, const auto& c, const auto& d, const auto& e) {
    fmt::print("{:<{}}  {:<{}}  {:<11}  {:<{}}  {}\n", a, variable, b, value, c, d, fallback, e);
  };
  line("VARIABLE", "VALUE", "SOURCE", "DEFAULT", "DESCRIPTION");
  for (const auto& row : rows) {
    line(row.variable, cell(row.value), to_string(row.source), cell(row.default_value),
         row.description);
  }
}

nlohmann::json to_json(const std::vector<Config::Row>& rows) {
  auto list = nlohmann::json::array();
  for (const auto& row : rows) {
    list.push_back({{"variable", row.variable},
                    {"value", row.value},
                    {"source", to_string(row.source)},
                    {"default", row.default_value},
                    {"description", row.description}});
  }
  return list;
}

int print_config(bool json) {
  const auto settings = Config::from_environment().describe();
  const auto launcher = launcher_rows();
  if (json) {
    const nlohmann::json document{{"settings", to_json(settings)}, {"launcher", to_json(launcher)}};
    fmt::print("{}\n", document.dump(2));
    return 0;
  }
  print_table(settings);
  fmt::print("\nSet by launchers:\n");
  print_table(launcher);
  return 0;
}

}  // namespace

void add_config_command(CLI::App& app, Action& action) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("config", "print every setting, its value here and where that comes from");
  command->add_flag("--json", *json, "print JSON");
  command->callback([json, &action] { action = [json] { return print_config(*json); }; });
}

}  // namespace roce::rocectl

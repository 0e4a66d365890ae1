// SPDX-License-Identifier: Apache-2.0
#include "roce/config.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "roce/status.hpp"
#include "src/base/config_file.hpp"
#include "src/base/setting.hpp"

namespace roce {
namespace {

using base::Setting;

const Setting* find_setting(std::string_view variable) {
  const auto table = base::settings();
  const auto found = std::ranges::find(table, variable, &Setting::variable);
  return found == table.end() ? nullptr : &*found;
}

bool is_launcher_variable(std::string_view name) {
  const auto table = base::launcher_variables();
  return std::ranges::find(table, name, &base::LauncherVariable::variable) != table.end();
}

void record(Config& config, std::string_view variable, ConfigSource source) {
  std::erase_if(config.sources, [&](const auto& entry) { return entry.first == variable; });
  if (source != ConfigSource::Default) config.sources.emplace_back(variable, source);
}

// `where` begins the message and says where the value stands, for example "settings:3: ".
void apply(Config& config, std::string_view variable, std::string_view value, ConfigSource source,
           std::string_view where) {
  const Setting* setting = find_setting(variable);
  if (setting == nullptr && is_launcher_variable(variable)) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{}{} is a launcher's variable, not a setting; put it into the "
                            "environment",
                            where, variable));
  }
  if (setting == nullptr) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{}{} is no setting; did you mean {}? `rocectl config` lists all",
                            where, variable, base::nearest_variable(variable)));
  }
  if (value.empty()) {
    if (source != ConfigSource::Code) return;
    setting->reset(config);
    record(config, variable, ConfigSource::Default);
    return;
  }
  if (!setting->parse(config, value)) {
    throw Error(ErrorCode::InvalidArgument, fmt::format("{}{}={} is not valid: give {}", where,
                                                        variable, value, setting->valid));
  }
  record(config, variable, source);
}

void apply_file(Config& config) {
  const char* path = std::getenv("ROCE_CONFIG");
  if (path == nullptr || *path == '\0') return;
  for (const auto& line : base::read_config_file(path)) {
    apply(config, line.key, line.value, ConfigSource::File,
          fmt::format("{}:{}: ", path, line.number));
  }
}

void apply_environment(Config& config) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (equals == std::string_view::npos || !name.starts_with("ROCE_")) continue;
    const std::string_view value = text.substr(equals + 1);
    if (value.empty() || is_launcher_variable(name)) continue;
    apply(config, name, value, ConfigSource::Environment, "environment: ");
  }
}

}  // namespace

std::string_view to_string(ConfigSource source) noexcept {
  switch (source) {
    case ConfigSource::Default:
      return "default";
    case ConfigSource::File:
      return "file";
    case ConfigSource::Environment:
      return "environment";
    case ConfigSource::Code:
      return "code";
  }
  return "unknown";
}

Config Config::from_environment() {
  Config config;
  apply_file(config);
  apply_environment(config);
  return config;
}

void Config::set(std::string_view variable, std::string_view value) {
  apply(*this, variable, value, ConfigSource::Code, "");
}

std::vector<Config::Row> Config::describe() const {
  const Config defaults;
  std::vector<Row> rows;
  for (const Setting& setting : base::settings()) {
    const auto source = std::ranges::find(
        sources, setting.variable, [](const auto& entry) { return std::string_view(entry.first); });
    rows.push_back({.variable = std::string(setting.variable),
                    .value = setting.print(*this),
                    .default_value = setting.print(defaults),
                    .source = source == sources.end() ? ConfigSource::Default : source->second,
                    .description = fmt::format("{} ({})", setting.description, setting.valid)});
  }
  return rows;
}

}  // namespace roce

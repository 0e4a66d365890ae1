// SPDX-License-Identifier: Apache-2.0
#include "src/base/config_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "roce/status.hpp"

namespace roce::base {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

[[noreturn]] void refuse(const std::string& path) {
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("ROCE_CONFIG={}: cannot read the file: {}; correct the path or unset the "
                          "variable",
                          path, std::strerror(errno)));
}

}  // namespace

std::vector<ConfigLine> read_config_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path);
  if (!file) refuse(path);
  std::vector<ConfigLine> lines;
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    const std::string_view line = trimmed(text);
    if (line.empty() || line.starts_with('#')) continue;
    const auto equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("{}:{}: '{}' is not of the form KEY=VALUE", path, number, line));
    }
    lines.push_back({.number = number,
                     .key = std::string(trimmed(line.substr(0, equals))),
                     .value = std::string(trimmed(line.substr(equals + 1)))});
  }
  if (file.bad()) refuse(path);
  return lines;
}

}  // namespace roce::base

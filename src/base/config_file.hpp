// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace roce::base {

/// One KEY=VALUE line.
struct ConfigLine {
  int number = 0;
  std::string key;
  std::string value;
};

/// Reads lines KEY=VALUE; spaces around key and value, empty lines, and lines that begin with # are
/// ignored. Throws Error (InvalidArgument) with file, line number and what is wrong.
[[nodiscard]] std::vector<ConfigLine> read_config_file(const std::string& path);

}  // namespace roce::base

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roce::test {

/// While it lives, the environment holds these variables only; then what it held before. One
/// thread at a time.
class Environment {
 public:
  using Variables = std::vector<std::pair<std::string, std::string>>;

  explicit Environment(const Variables& variables) {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      const std::string_view text(*entry);
      const auto equals = text.find('=');
      if (equals != std::string_view::npos) {
        before_.emplace_back(text.substr(0, equals), text.substr(equals + 1));
      }
    }
    fill(variables);
  }
  ~Environment() { fill(before_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static void fill(const Variables& variables) {
    ::clearenv();
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  }
  Variables before_;
};

}  // namespace roce::test

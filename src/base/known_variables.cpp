// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "src/base/setting.hpp"

namespace roce::base {

std::span<const LauncherVariable> launcher_variables() noexcept {
  using Shown = LauncherVariable::Shown;
  static constexpr std::array variables{
      LauncherVariable{"ROCE_CONFIG",
                       "file of settings, one KEY=VALUE a line; the environment wins"},
      LauncherVariable{"ROCE_RANK", "this process's rank, from 0"},
      LauncherVariable{"ROCE_SIZE", "number of ranks"},
      LauncherVariable{"ROCE_LOCAL_RANK", "this process's rank among those on its host"},
      LauncherVariable{"ROCE_RENDEZVOUS", "where rank 0 listens: host:port or host:port/secret",
                       Shown::BeforeSlash},
      LauncherVariable{"ROCE_SECRET", "32 hexadecimal digits that every rank must know",
                       Shown::Nothing},
  };
  return variables;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return table[i * width + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      const std::size_t exchange = a[i - 1] == b[j - 1] ? 0 : 1;
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + exchange});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return table.back();
}

std::string_view nearest_variable(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Setting& setting : settings()) names.push_back(setting.variable);
  for (const LauncherVariable& variable : launcher_variables()) names.push_back(variable.variable);
  return *std::ranges::min_element(
      names, {}, [name](std::string_view known) { return edit_distance(name, known); });
}

}  // namespace roce::base

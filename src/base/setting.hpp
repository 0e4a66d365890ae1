// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "roce/config.hpp"

namespace roce::base {

/// One row of the table behind Config: a variable, and how it reads and prints its member.
struct Setting {
  std::string_view variable;
  std::string_view description;
  std::string valid;                                     ///< what a value may be, for people
  std::function<bool(Config&, std::string_view)> parse;  ///< false when the value is not valid
  std::function<std::string(const Config&)> print;
  std::function<void(Config&)> reset;  ///< to the default
};

/// All settings, in the order in which they are listed.
[[nodiscard]] std::span<const Setting> settings();

/// A ROCE_ variable that launchers set and that is no setting: read by launch_from_environment, or,
/// for ROCE_CONFIG, before all settings.
struct LauncherVariable {
  /// How much of the value may be printed.
  enum class Shown : std::uint8_t { Whole, BeforeSlash, Nothing };

  std::string_view variable;
  std::string_view description;
  Shown shown = Shown::Whole;
};
[[nodiscard]] std::span<const LauncherVariable> launcher_variables() noexcept;

/// Of all known names the one with the fewest typing errors between it and `name`.
[[nodiscard]] std::string_view nearest_variable(std::string_view name);

/// Letters inserted, left out, exchanged or swapped with their neighbour (optimal string
/// alignment distance).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace roce::base

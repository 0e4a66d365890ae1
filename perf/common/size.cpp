// SPDX-License-Identifier: Apache-2.0
#include "perf/common/size.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "roce/status.hpp"

namespace roce::perf {

std::size_t parse_size(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  std::string_view unit(end);
  double scale = 1;
  if (unit.size() == 1) {
    constexpr std::string_view units = "KMGT";
    const auto letter = static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0])));
    const auto power = units.find(letter);
    if (power != std::string_view::npos) {
      scale = std::ldexp(1.0, 10 * (static_cast<int>(power) + 1));
      unit = {};
    }
  }
  const double bytes = number * scale;
  constexpr double largest = 9.0e18;
  if (end == copy.c_str() || !unit.empty() || !(bytes >= 0) || bytes > largest) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("'{}' is no size; write bytes, or a number with K, M, G or T", text));
  }
  return static_cast<std::size_t>(bytes);
}

std::string format_size(std::size_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  if (value == std::floor(value) || value >= 100)
    return fmt::format("{:.0f} {}", value, units[unit]);
  return fmt::format("{:.3g} {}", value, units[unit]);
}

}  // namespace roce::perf

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "roce/status.hpp"

namespace roce::base {

/// A name and the value it stands for. In a table the first entry of a value is the one printed;
/// more entries of the same value are accepted when parsed.
template <typename T>
using Name = std::pair<std::string_view, T>;

template <typename T, std::size_t N>
[[nodiscard]] std::string_view name_of(const std::array<Name<T>, N>& names, T value) noexcept {
  for (const auto& [name, candidate] : names) {
    if (candidate == value) return name;
  }
  return "unknown";
}

/// Throws Error (InvalidArgument) that lists the valid names; `what` is singular, for example
/// "fabric".
template <typename T, std::size_t N>
[[nodiscard]] T value_of(const std::array<Name<T>, N>& names, std::string_view text,
                         std::string_view what) {
  std::string valid;
  for (const auto& [name, value] : names) {
    if (name == text) return value;
    valid += (valid.empty() ? "" : ", ");
    valid += name;
  }
  throw Error(ErrorCode::InvalidArgument,
              "'" + std::string(text) + "' is no " + std::string(what) + "; use one of " + valid);
}

}  // namespace roce::base

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/names.hpp"

/// The types that a setting can have. Each has parse(text), empty when the text is not valid;
/// print(value), which parse() reads back; and valid(), what is valid, for people.
namespace roce::base {

/// Digits, then letters: "30s", "8M", "7". Empty when the text has another form or overflows.
struct NumberAndUnit {
  std::uint64_t number = 0;
  std::string_view unit;
};
[[nodiscard]] std::optional<NumberAndUnit> split_number(std::string_view text) noexcept;
/// "30s", "500ms", "20us": bare numbers count `plain` each. Empty when not valid or above a year.
[[nodiscard]] std::optional<std::chrono::microseconds> parse_duration(
    std::string_view text, std::chrono::microseconds plain) noexcept;
/// In the largest unit (h, min, s, ms, us) that needs no fraction.
[[nodiscard]] std::string print_duration(std::chrono::microseconds duration);
/// "64", "8M", "8MiB", "1g": K, M and G are powers of 1,024.
[[nodiscard]] std::optional<std::size_t> parse_size(std::string_view text) noexcept;
[[nodiscard]] std::string print_size(std::size_t size);

/// A span of time within bounds. `automatic` is a value outside them that is written "auto".
template <typename Unit>
struct DurationType {
  Unit least;
  Unit most;
  std::optional<Unit> automatic = std::nullopt;

  [[nodiscard]] std::optional<Unit> parse(std::string_view text) const {
    if (automatic && (text == "auto" || text == "-1")) return automatic;
    const auto value = parse_duration(text, Unit{1});
    if (!value || *value < least || *value > most) return std::nullopt;
    const auto rounded = std::chrono::duration_cast<Unit>(*value);
    return rounded == *value ? std::optional(rounded) : std::nullopt;
  }
  [[nodiscard]] std::string print(Unit value) const {
    return automatic && value == *automatic ? "auto" : print_duration(value);
  }
  [[nodiscard]] std::string valid() const {
    return (automatic ? "auto, or a duration from " : "a duration from ") + print_duration(least) +
           " to " + print_duration(most) + " such as 30s, 500ms or 20us; a plain number counts " +
           (Unit{1} == std::chrono::milliseconds{1} ? "ms" : "us");
  }
};

/// A number of bytes within bounds; with `zero_is_auto` also 0, which is written "auto".
struct SizeType {
  std::size_t least;
  std::size_t most;
  bool zero_is_auto = false;

  [[nodiscard]] std::optional<std::size_t> parse(std::string_view text) const;
  [[nodiscard]] std::string print(std::size_t value) const;
  [[nodiscard]] std::string valid() const;
};

/// A whole number within bounds.
struct IntegerType {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] std::optional<std::uint64_t> parse(std::string_view text) const;
  [[nodiscard]] std::string print(std::uint64_t value) const;
  [[nodiscard]] std::string valid() const;
};

/// A small whole number within bounds. `automatic` is a value outside them that is written "auto".
struct NumberType {
  int least;
  int most;
  std::optional<int> automatic = std::nullopt;

  [[nodiscard]] std::optional<int> parse(std::string_view text) const;
  [[nodiscard]] std::string print(int value) const;
  [[nodiscard]] std::string valid() const;
};

/// 1, on, true, yes; 0, off, false, no.
struct BooleanType {
  [[nodiscard]] std::optional<bool> parse(std::string_view text) const;
  [[nodiscard]] std::string print(bool value) const;
  [[nodiscard]] std::string valid() const;
};

/// One of some names.
template <typename T, std::size_t N>
struct EnumType {
  std::array<Name<T>, N> names;

  [[nodiscard]] std::optional<T> parse(std::string_view text) const {
    for (const auto& [name, value] : names) {
      if (name == text) return value;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::string print(T value) const { return std::string(name_of(names, value)); }
  [[nodiscard]] std::string valid() const {
    std::string text = "one of";
    for (const auto& entry : names) {
      text += entry.first == names.front().first ? " " : ", ";
      text += entry.first;
    }
    return text;
  }
};

/// Some of some words, separated by commas.
struct WordsType {
  std::vector<std::string_view> words;

  [[nodiscard]] std::optional<std::string> parse(std::string_view text) const;
  [[nodiscard]] std::string print(const std::string& value) const { return value; }
  [[nodiscard]] std::string valid() const;
};
/// Whether a value of WordsType has the word.
[[nodiscard]] bool has_word(std::string_view value, std::string_view word) noexcept;

/// Printable text without spaces.
struct TextType {
  [[nodiscard]] std::optional<std::string> parse(std::string_view text) const;
  [[nodiscard]] std::string print(const std::string& value) const { return value; }
  [[nodiscard]] std::string valid() const { return "printable text without spaces"; }
};

}  // namespace roce::base

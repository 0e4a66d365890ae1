// SPDX-License-Identifier: Apache-2.0
#include "src/base/setting_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace roce::base {
namespace {

using std::chrono::microseconds;

struct TimeUnit {
  std::string_view name;
  std::uint64_t microseconds;
};
// Largest first, so that printing finds the largest that divides.
constexpr std::array time_units{
    TimeUnit{"h", 3'600'000'000}, TimeUnit{"min", 60'000'000}, TimeUnit{"s", 1'000'000},
    TimeUnit{"ms", 1000},         TimeUnit{"us", 1},
};
constexpr std::uint64_t year_in_us = std::uint64_t{365} * 24 * 3'600'000'000;

constexpr std::array size_units{
    Name<unsigned>{"G", 30},   Name<unsigned>{"M", 20},   Name<unsigned>{"K", 10},
    Name<unsigned>{"", 0},     Name<unsigned>{"GIB", 30}, Name<unsigned>{"MIB", 20},
    Name<unsigned>{"KIB", 10}, Name<unsigned>{"B", 0},
};

std::string in_upper_case(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

}  // namespace

std::optional<NumberAndUnit> split_number(std::string_view text) noexcept {
  NumberAndUnit result;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result.number);
  if (error != std::errc{}) return std::nullopt;
  result.unit = text.substr(static_cast<std::size_t>(end - text.data()));
  return result;
}

std::optional<microseconds> parse_duration(std::string_view text, microseconds plain) noexcept {
  const auto parts = split_number(text);
  if (!parts) return std::nullopt;
  auto unit = static_cast<std::uint64_t>(plain.count());
  if (!parts->unit.empty()) {
    const auto* found = std::ranges::find(time_units, parts->unit, &TimeUnit::name);
    if (found == time_units.end()) return std::nullopt;
    unit = found->microseconds;
  }
  if (parts->number > year_in_us / unit) return std::nullopt;
  return microseconds(parts->number * unit);
}

std::string print_duration(microseconds duration) {
  const auto count = static_cast<std::uint64_t>(duration.count());
  for (const TimeUnit& unit : time_units) {
    // 60000 ms print as 60s and not as 1min: people think of timeouts in seconds.
    const bool usual = unit.name != "min" || count >= 10 * unit.microseconds;
    if (count % unit.microseconds == 0 && count > 0 && usual) {
      return fmt::format("{}{}", count / unit.microseconds, unit.name);
    }
  }
  return "0us";
}

std::optional<std::size_t> parse_size(std::string_view text) noexcept {
  const auto parts = split_number(text);
  if (!parts || parts->unit.size() > 3) return std::nullopt;
  const std::string unit = in_upper_case(parts->unit);
  for (const auto& [name, shift] : size_units) {
    if (name != unit) continue;
    if (parts->number > (std::numeric_limits<std::size_t>::max() >> shift)) return std::nullopt;
    return std::size_t{parts->number} << shift;
  }
  return std::nullopt;
}

std::string print_size(std::size_t size) {
  for (const auto& [name, shift] : size_units) {
    if (size > 0 && size % (std::size_t{1} << shift) == 0) {
      return fmt::format("{}{}", size >> shift, name);
    }
  }
  return "0";
}

std::optional<std::size_t> SizeType::parse(std::string_view text) const {
  if (zero_is_auto && text == "auto") return 0;
  const auto size = parse_size(text);
  if (size && ((zero_is_auto && *size == 0) || (*size >= least && *size <= most))) return size;
  return std::nullopt;
}

std::string SizeType::print(std::size_t value) const {
  return zero_is_auto && value == 0 ? "auto" : print_size(value);
}

std::string SizeType::valid() const {
  return fmt::format("{}a size from {} to {} such as 4096, 64K or 8M",
                     zero_is_auto ? "auto, or " : "", print_size(least), print_size(most));
}

std::optional<std::uint64_t> IntegerType::parse(std::string_view text) const {
  const auto parts = split_number(text);
  if (!parts || !parts->unit.empty() || parts->number < least || parts->number > most) {
    return std::nullopt;
  }
  return parts->number;
}

std::string IntegerType::print(std::uint64_t value) const { return std::to_string(value); }

std::string IntegerType::valid() const {
  return fmt::format("a whole number from {} to {}", least, most);
}

std::optional<int> NumberType::parse(std::string_view text) const {
  if (automatic && (text == "auto" || text == std::to_string(*automatic))) return automatic;
  const auto parts = split_number(text);
  if (!parts || !parts->unit.empty() || parts->number > static_cast<std::uint64_t>(most)) {
    return std::nullopt;
  }
  const int value = static_cast<int>(parts->number);
  return value < least ? std::nullopt : std::optional(value);
}

std::string NumberType::print(int value) const {
  return automatic && value == *automatic ? "auto" : std::to_string(value);
}

std::string NumberType::valid() const {
  return fmt::format("{}a whole number from {} to {}", automatic ? "auto, or " : "", least, most);
}

std::optional<bool> BooleanType::parse(std::string_view text) const {
  constexpr std::array names{
      Name<bool>{"1", true},      Name<bool>{"on", true},  Name<bool>{"true", true},
      Name<bool>{"yes", true},    Name<bool>{"0", false},  Name<bool>{"off", false},
      Name<bool>{"false", false}, Name<bool>{"no", false},
  };
  for (const auto& [name, value] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

std::string BooleanType::print(bool value) const { return value ? "on" : "off"; }

std::string BooleanType::valid() const { return "on or off (also 1, true, yes; 0, false, no)"; }

std::optional<std::string> TextType::parse(std::string_view text) const {
  const bool good = std::ranges::all_of(text, [](unsigned char c) { return std::isgraph(c) != 0; });
  return good ? std::optional(std::string(text)) : std::nullopt;
}

std::optional<std::string> WordsType::parse(std::string_view text) const {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    if (std::ranges::find(words, word) == words.end()) return std::nullopt;
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  if (text.ends_with(',')) return std::nullopt;
  return std::string(text);
}

std::string WordsType::valid() const {
  std::string text = "some of";
  for (const std::string_view word : words) {
    text += text == "some of" ? " " : ", ";
    text += word;
  }
  return text + ", separated by commas";
}

bool has_word(std::string_view value, std::string_view word) noexcept {
  while (!value.empty()) {
    const std::string_view first = value.substr(0, value.find(','));
    if (first == word) return true;
    value.remove_prefix(std::min(value.size(), first.size() + 1));
  }
  return false;
}

}  // namespace roce::base

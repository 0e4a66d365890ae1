// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <charconv>
#include <cstdlib>

#include "roce/status.hpp"
#include "src/bootstrap/launcher.hpp"

namespace roce::bootstrap {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::string text_of(const char* name) { return variable(name).value_or(std::string{}); }

std::optional<int> number(const char* name) {
  const auto text = variable(name);
  if (!text) return std::nullopt;
  int value = 0;
  const char* last = text->data() + text->size();
  const auto [end, error] = std::from_chars(text->data(), last, value);
  if (error != std::errc{} || end != last || value < 0) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{}={} is not a whole number from 0", name, *text));
  }
  return value;
}

int needed_number(const char* name, std::string_view because) {
  if (const auto value = number(name)) return *value;
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("{} is set, but {} is not; set both or none", because, name));
}

std::uint16_t port_for(std::string_view identity) {
  constexpr unsigned first = 20'000;
  constexpr unsigned count = 12'768;  // up to 32,767: Linux gives out ports from 32,768
  std::array<unsigned char, crypto_generichash_BYTES> hash{};
  crypto_generichash(hash.data(), hash.size(),
                     reinterpret_cast<const unsigned char*>(identity.data()), identity.size(),
                     nullptr, 0);
  const unsigned value = hash[0] | hash[1] << 8U | hash[2] << 16U;
  return static_cast<std::uint16_t>(first + value % count);
}

}  // namespace roce::bootstrap

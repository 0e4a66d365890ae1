// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roce/status.hpp"

namespace roce::bootstrap {

using Bytes = std::vector<std::byte>;

/// Appends little-endian integers, byte strings and counted texts.
class WireWriter {
 public:
  template <std::integral T>
  WireWriter& put(T value) {
    std::array<std::byte, sizeof(T)> bytes;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bytes[i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
    }
    return put(std::span<const std::byte>(bytes));
  }
  WireWriter& put(std::span<const std::byte> bytes) {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + bytes.size());
    if (!bytes.empty()) std::memcpy(bytes_.data() + before, bytes.data(), bytes.size());
    return *this;
  }
  /// At most 65,535 bytes; a longer text is cut.
  WireWriter& put(std::string_view text) {
    text = text.substr(0, UINT16_MAX);
    put(static_cast<std::uint16_t>(text.size()));
    return put(std::as_bytes(std::span(text)));
  }
  [[nodiscard]] const Bytes& bytes() const& noexcept { return bytes_; }
  [[nodiscard]] Bytes bytes() && noexcept { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

/// Reads what WireWriter wrote. Throws Error (Mismatch) when the bytes end too soon.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

  template <std::integral T>
  [[nodiscard]] T get() {
    std::uint64_t value = 0;
    const auto bytes = take(sizeof(T));
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    }
    return static_cast<T>(value);
  }
  [[nodiscard]] std::span<const std::byte> take(std::size_t count) {
    if (count > rest_.size()) {
      throw Error(ErrorCode::Mismatch, "a bootstrap message is shorter than it says");
    }
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  [[nodiscard]] std::string text() {
    const auto bytes = take(get<std::uint16_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  [[nodiscard]] std::span<const std::byte> rest() const noexcept { return rest_; }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace roce::bootstrap

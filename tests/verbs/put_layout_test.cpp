// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/put_layout.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "tests/catch.hpp"

using namespace roce::transport;
using namespace roce::transport::verbs;

namespace {

constexpr std::size_t largest = 9000;
constexpr Flag stale = 41;
constexpr Flag epoch = 42;
constexpr std::size_t flag_offset = cache_line + slot_bytes(largest) - sizeof(Flag);

/// A run of bytes that a device places at once.
struct Chunk {
  std::size_t offset;
  std::vector<std::byte> bytes;
};

std::vector<std::byte> payload_of(std::size_t bytes) {
  std::vector<std::byte> payload(bytes);
  for (std::size_t i = 0; i < bytes; ++i) payload[i] = static_cast<std::byte>(i * 7 + 1);
  return payload;
}

/// A receiver's slot after a put of `before` bytes of 0xa5, epoch `stale`.
class Receiver {
 public:
  explicit Receiver(std::size_t before) : memory_(flag_offset + sizeof(Flag) + cache_line) {
    const std::vector<std::byte> old(before, std::byte{0xa5});
    for (const auto& write : writes(lay_out_put(flag_offset, before, false), old, stale)) {
      place(write);
    }
  }

  /// The bytes of a put's writes, in the order of posting.
  static std::vector<Chunk> writes(const PutLayout& layout, const std::vector<std::byte>& payload,
                                   Flag flag, std::size_t from = 0) {
    std::vector<Chunk> result;
    if (layout.bytes() != 0) {
      Chunk first{layout.offset, std::vector<std::byte>(layout.bytes())};
      if (layout.source_bytes != 0) {
        std::memcpy(first.bytes.data(), payload.data() + from, layout.source_bytes);
        if (layout.image_bytes != 0) {
          std::memcpy(first.bytes.data() + layout.bytes() - sizeof flag, &flag, sizeof flag);
        }
      } else {
        write_image(first.bytes.data(), layout, payload.data(), payload.size(), flag);
      }
      result.push_back(std::move(first));
    }
    if (layout.flag_apart) {
      Chunk second{layout.flag_offset, std::vector<std::byte>(sizeof flag)};
      std::memcpy(second.bytes.data(), &flag, sizeof flag);
      result.push_back(std::move(second));
    }
    return result;
  }

  void place(const Chunk& chunk) {
    REQUIRE(chunk.offset + chunk.bytes.size() <= flag_offset + sizeof(Flag));
    std::ranges::copy(chunk.bytes, memory_.begin() + static_cast<std::ptrdiff_t>(chunk.offset));
  }

  [[nodiscard]] Flag flag(std::size_t offset) const {
    Flag value = 0;
    std::memcpy(&value, memory_.data() + offset, sizeof value);
    return value;
  }
  /// As the executor waits.
  [[nodiscard]] bool arrived(std::size_t bytes) const {
    bool all = true;
    for (std::size_t line = 0; line < flagged_lines(bytes); ++line) {
      all &= flag(flag_offset - line * cache_line) == epoch;
    }
    return all;
  }
  /// As the executor reads.
  [[nodiscard]] std::vector<std::byte> payload(std::size_t bytes) const {
    std::vector<std::byte> result;
    if (bytes <= stripe || bytes > striped_limit) {
      const auto* const begin = memory_.data() + payload_offset(flag_offset, bytes);
      return {begin, begin + bytes};
    }
    const std::byte* line =
        memory_.data() + flag_offset + sizeof(Flag) - flagged_lines(bytes) * cache_line;
    for (; result.size() < bytes; line += cache_line) {
      const std::size_t part = std::min(stripe, bytes - result.size());
      result.insert(result.end(), line, line + part);
    }
    return result;
  }

 private:
  std::vector<std::byte> memory_;
};

const std::vector<std::size_t> sizes{0,   1,   8,   55,  56,  57,   64,   112,  113,  168,
                                     169, 223, 224, 225, 256, 1000, 3840, 3841, 4096, largest};

/// Each eight bytes of a chunk apart, in order.
std::vector<Chunk> words_of(const Chunk& chunk) {
  std::vector<Chunk> words;
  for (std::size_t at = 0; at < chunk.bytes.size(); at += sizeof(Flag)) {
    const auto begin = chunk.bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t size = std::min(sizeof(Flag), chunk.bytes.size() - at);
    words.push_back({chunk.offset + at, {begin, begin + static_cast<std::ptrdiff_t>(size)}});
  }
  return words;
}

}  // namespace

TEST_CASE("a device that places data in order never shows a flag before its payload") {
  const std::size_t before = GENERATE(from_range(sizes));
  const std::size_t bytes = GENERATE(from_range(sizes));
  CAPTURE(before, bytes);
  Receiver receiver(before);
  const auto payload = payload_of(bytes);
  for (const auto& write :
       Receiver::writes(lay_out_put(flag_offset, bytes, false), payload, epoch)) {
    for (const auto& word : words_of(write)) {
      REQUIRE_FALSE(receiver.arrived(bytes));
      receiver.place(word);
    }
  }
  CHECK(receiver.arrived(bytes));
  CHECK(receiver.payload(bytes) == payload);
}

TEST_CASE("with the flag apart a write's data may be placed in any order") {
  const std::size_t before = GENERATE(from_range(sizes));
  const std::size_t bytes = GENERATE(from_range(sizes));
  CAPTURE(before, bytes);
  Receiver receiver(before);
  const auto payload = payload_of(bytes);
  std::mt19937 random(static_cast<unsigned>(before * 10'007 + bytes));
  for (const auto& write :
       Receiver::writes(lay_out_put(flag_offset, bytes, true), payload, epoch)) {
    auto words = words_of(write);
    std::ranges::shuffle(words, random);
    for (const auto& word : words) {
      REQUIRE_FALSE(receiver.arrived(bytes));
      receiver.place(word);
    }
  }
  CHECK(receiver.arrived(bytes));
  CHECK(receiver.payload(bytes) == payload);
}

TEST_CASE("halves may arrive in any order") {
  const std::size_t bytes = GENERATE(257U, 300U, 1000U, 4096U, 8999U, largest);
  const bool second_first = GENERATE(false, true);
  Receiver receiver(224);
  const auto payload = payload_of(bytes);
  auto halves = lay_out_halves(flag_offset, bytes);
  const std::size_t middle = halves[0].source_bytes;
  std::size_t from[] = {0, middle};
  if (second_first) {
    std::swap(halves[0], halves[1]);
    std::swap(from[0], from[1]);
  }
  const Flag marked = epoch | halves_mark;
  const auto both = [&] {
    return receiver.flag(flag_offset) == marked &&
           receiver.flag(flag_offset - cache_line) == marked;
  };
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK_FALSE(both());
    for (const auto& write : Receiver::writes(halves[i], payload, marked, from[i])) {
      receiver.place(write);
    }
  }
  CHECK(both());
  CHECK(receiver.payload(bytes) == payload);
  CHECK(halves[0].source_bytes + halves[1].source_bytes == bytes);
}

TEST_CASE("a flag travels in the write only within one path MTU") {
  const std::size_t mtu = GENERATE(256U, 512U, 1024U, 2048U, 4096U);
  for (std::size_t bytes = 0; bytes <= largest; ++bytes) {
    const PutLayout layout = lay_out_put_within(mtu, flag_offset, bytes);
    if (!layout.flag_apart) REQUIRE(layout.bytes() <= mtu);
    // All that fits does.
    if (layout.flag_apart) REQUIRE(lay_out_put(flag_offset, bytes, false).bytes() > mtu);
  }
  CHECK_FALSE(lay_out_put_within(mtu, flag_offset, striped_limit).flag_apart);
}

TEST_CASE("a signal is eight bytes, and gaps stay within their bound") {
  CHECK(lay_out_put(flag_offset, 0, false).bytes() == sizeof(Flag));
  CHECK(lay_out_put(flag_offset, 0, true).bytes() == 0);
  for (std::size_t bytes = 1; bytes <= largest; ++bytes) {
    const PutLayout layout = lay_out_put(flag_offset, bytes, false);
    if (layout.source_bytes == 0)
      REQUIRE(layout.image_bytes <= longest_image);
    else
      REQUIRE(layout.image_bytes - sizeof(Flag) <= longest_gap);
    REQUIRE(layout.offset + layout.bytes() == flag_offset + sizeof(Flag));
    const PutLayout apart = lay_out_put(flag_offset, bytes, true);
    REQUIRE(apart.offset == layout.offset);
    REQUIRE(apart.offset + apart.bytes() <= flag_offset);
  }
}

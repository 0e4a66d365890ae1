// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <vector>

#include "src/transport/slot_write.hpp"
#include "src/transport/ucx/message.hpp"
#include "tests/catch.hpp"

using namespace roce::transport;
using roce::transport::ucx::fits_slots;

namespace {

constexpr std::size_t first_flag = control_bytes + cache_line - sizeof(Flag);
constexpr std::size_t memory = 4096;
constexpr std::size_t last_flag = memory - sizeof(Flag);
constexpr auto huge = std::numeric_limits<std::uint64_t>::max();

/// The bytes of a memory that a put changes: its first and one past its last.
std::pair<std::size_t, std::size_t> touched(std::size_t flag_offset, std::size_t bytes) {
  alignas(cache_line) static std::byte slots[memory];
  std::fill(std::begin(slots), std::end(slots), std::byte{0});
  const std::vector<std::byte> source(bytes, std::byte{1});
  write_slot(slots, flag_offset, source.data(), bytes, huge);
  std::size_t begin = 0;
  while (slots[begin] == std::byte{0}) ++begin;
  std::size_t end = memory;
  while (slots[end - 1] == std::byte{0}) --end;
  return {begin, end};
}

}  // namespace

TEST_CASE("a flag stands at the end of a cache line within the slots") {
  CHECK(fits_slots(memory, first_flag, 0));
  CHECK(fits_slots(memory, last_flag, 8));
  CHECK_FALSE(fits_slots(memory, control_bytes - sizeof(Flag), 0));
  CHECK_FALSE(fits_slots(memory, last_flag + cache_line, 0));
  CHECK_FALSE(fits_slots(memory, last_flag - 1, 0));
  CHECK_FALSE(fits_slots(memory, first_flag + sizeof(Flag), 0));
  CHECK_FALSE(fits_slots(memory, 0, 0));
  CHECK_FALSE(fits_slots(memory, huge, 0));
  CHECK_FALSE(fits_slots(memory, huge - sizeof(Flag) + 1, 0));
  CHECK_FALSE(fits_slots(0, cache_line - sizeof(Flag), 0));
  CHECK_FALSE(fits_slots(cache_line, cache_line - sizeof(Flag), 0));
}

TEST_CASE("a payload fits exactly when no byte of it lies outside of the slots") {
  for (std::size_t bytes = 0; bytes < memory + 2 * cache_line; bytes += bytes < 600 ? 1 : 37) {
    for (std::size_t flag = first_flag; flag <= last_flag; flag += cache_line) {
      INFO(bytes << " bytes, flag at " << flag);
      const std::size_t needed = bytes > striped_limit
                                     ? align_up(bytes, cache_line) + striped_lines * cache_line
                                     : flagged_lines(bytes) * cache_line;
      const bool fits = needed <= flag + sizeof(Flag) - control_bytes;
      REQUIRE(fits_slots(memory, flag, bytes) == fits);
      if (!fits) continue;
      const auto [begin, end] = touched(flag, bytes);
      REQUIRE(begin >= control_bytes);
      REQUIRE(end == flag + sizeof(Flag));
    }
  }
}

TEST_CASE("sizes that would wrap do not fit") {
  for (const std::size_t bytes :
       {std::size_t{memory} * 2, std::size_t{1} << 62U,
        static_cast<std::size_t>(huge) - cache_line + 1, static_cast<std::size_t>(huge)}) {
    CHECK_FALSE(fits_slots(memory, last_flag, bytes));
  }
}

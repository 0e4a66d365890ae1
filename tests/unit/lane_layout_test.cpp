// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/lane_layout.hpp"

#include <map>
#include <random>

#include "src/schedule/catalog.hpp"
#include "src/transport/slot.hpp"
#include "tests/catch.hpp"

using namespace roce;
using namespace roce::runtime;

namespace {

/// Visits every schedule of the catalog for some numbers of ranks.
template <typename Visit>
void for_each_schedule(Visit&& visit) {
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16}) {
    const auto fabric = topology::Fabric::make(topology::FabricClass::Switch, ranks);
    for (const schedule::CatalogEntry& entry : schedule::catalog()) {
      const auto offered = schedule::offer(entry, fabric, ranks - 1);
      if (!offered) continue;
      INFO(to_string(entry.collective) << "/" << entry.name << " of " << ranks);
      visit(*offered);
    }
  }
}

/// The lowest and the highest byte of payload in each slot of any rank, for a vector of that size.
using Extents = std::map<int, std::pair<std::size_t, std::size_t>>;
Extents payloads(const schedule::VerifiedSchedule& verified, const LaneLayout& layout,
                 std::size_t elements, std::size_t element_bytes) {
  Extents extents;
  for (int rank = 0; rank < verified.schedule().ranks; ++rank) {
    for (int slot = 0; slot < verified.schedule().slots; ++slot) {
      const auto& extent = verified.extent(rank, slot);
      if (extent.count == 0) continue;
      const std::size_t bytes =
          (position(elements, std::size_t{extent.first} + extent.count, extent.of) -
           position(elements, extent.first, extent.of)) *
          element_bytes;
      const std::size_t flag = layout.flag_offsets[static_cast<std::size_t>(slot)];
      const std::size_t lines = transport::flagged_lines(bytes);
      const std::size_t first_stripe =
          flag - transport::stripe - (lines - 1) * transport::cache_line;
      const std::size_t begin =
          std::min(transport::payload_offset(flag, bytes), lines > 1 ? first_stripe : flag);
      auto& [low, high] = extents.try_emplace(slot, begin, begin + bytes).first->second;
      low = std::min(low, begin);
      high = std::max(high, begin + bytes);
    }
  }
  return extents;
}

bool fits(const LaneLayout& layout, const Extents& extents) {
  for (const auto& [slot, extent] : extents) {
    const auto i = static_cast<std::size_t>(slot);
    const std::size_t begin = i == 0 ? 0 : layout.flag_offsets[i - 1] + sizeof(transport::Flag);
    if (extent.first < begin || extent.second > layout.flag_offsets[i]) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("position is the rounded down fraction and never overflows") {
  CHECK(position(10, 1, 3) == 3);
  CHECK(position(10, 2, 3) == 6);
  CHECK(position(10, 3, 3) == 10);
  CHECK(position(0, 1, 2) == 0);
  __extension__ using Wide = unsigned __int128;
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::size_t elements = random() >> (random() % 64);
    const std::size_t denominator = 1 + random() % 65'535;
    const std::size_t numerator = random() % (denominator + 1);
    const auto exact = static_cast<std::size_t>(Wide{elements} * numerator / denominator);
    const std::size_t factor = 1 + random() % 1000;
    if (position(elements, numerator, denominator) != exact ||
        position(elements, numerator * factor, denominator * factor) != exact) {
      FAIL(elements << " * " << numerator << " / " << denominator);
    }
  }
}

TEST_CASE("slots begin on cache lines and each flag ends its slot") {
  for_each_schedule([](const schedule::VerifiedSchedule& verified) {
    const LaneLayout layout = lay_out(verified, 4096 * 9);
    REQUIRE(layout.flag_offsets.size() == verified.schedule().slots);
    CHECK(layout.copy_bytes % transport::cache_line == 0);
    std::size_t previous = 0;
    for (const std::size_t flag : layout.flag_offsets) {
      CHECK((flag + sizeof(transport::Flag)) % transport::cache_line == 0);
      CHECK(flag + sizeof(transport::Flag) > previous);
      previous = flag + sizeof(transport::Flag);
    }
    CHECK(previous == layout.copy_bytes);
  });
}

TEST_CASE("no payload of a segment or less touches a flag or another slot") {
  for_each_schedule([](const schedule::VerifiedSchedule& verified) {
    for (const std::size_t segment : {std::size_t{64} * 144, std::size_t{64} * 16 * 720}) {
      const LaneLayout layout = lay_out(verified, segment);
      for (const std::size_t element : {1U, 2U, 4U, 8U}) {
        const std::size_t most = segment / element;
        for (std::size_t elements = 0; elements <= most;
             elements += 1 + elements / 3 + (elements > most / 2 ? most / 7 : 0)) {
          CHECK(fits(layout, payloads(verified, layout, elements, element)));
        }
        CHECK(fits(layout, payloads(verified, layout, most, element)));
        CHECK(fits(layout, payloads(verified, layout, most - 1, element)));
      }
    }
  });
}

TEST_CASE("no payload ever covers a flag, its own or that of another size") {
  constexpr std::size_t flag = 16 * transport::cache_line - sizeof(transport::Flag);
  for (std::size_t bytes = 0; bytes <= 12 * transport::cache_line; ++bytes) {
    const std::size_t lines = transport::flagged_lines(bytes);
    const std::size_t begin = transport::payload_offset(flag, bytes);
    INFO(bytes << " bytes");
    CHECK(begin % transport::cache_line == 0);
    CHECK(lines <= transport::striped_lines);
    CHECK((lines == 1 || lines * transport::stripe >= bytes));
    const std::size_t first_flag = flag - (transport::striped_lines - 1) * transport::cache_line;
    // In the last line it ends before the flag; elsewhere before the first line with a flag.
    CHECK(begin + bytes <= (bytes <= transport::stripe ? flag : first_flag - transport::stripe));
    CHECK(flag + sizeof(transport::Flag) - begin <= transport::slot_bytes(bytes));
  }
}

TEST_CASE("a budget is used but not overdrawn") {
  for_each_schedule([](const schedule::VerifiedSchedule& verified) {
    const auto granule = static_cast<std::size_t>(verified.schedule().ranks) * 64;
    for (const std::size_t copies : {1U, 4U}) {
      const std::size_t least = lay_out(verified, granule).copy_bytes * copies;
      for (const std::size_t budget : {std::size_t{0}, least, 3 * least, std::size_t{1} << 20}) {
        for (const std::size_t limit : {std::size_t{1}, 7 * granule + 5, std::size_t{1} << 17}) {
          const LaneLayout layout = lay_out_within(verified, copies, budget, limit);
          CHECK(layout.segment_bytes % granule == 0);
          CHECK(layout.segment_bytes <= std::max(limit, granule));
          const std::size_t used = layout.copy_bytes * copies;
          CHECK(used <= std::max(budget, least));
          const bool could_grow = layout.segment_bytes + granule <= limit;
          if (!could_grow) continue;
          CHECK(lay_out(verified, layout.segment_bytes + granule).copy_bytes * copies > budget);
        }
      }
    }
  });
}

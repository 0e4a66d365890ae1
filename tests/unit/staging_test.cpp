// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/staging.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/runtime/lane_layout.hpp"
#include "src/schedule/build.hpp"
#include "src/schedule/catalog.hpp"
#include "src/schedule/print.hpp"
#include "src/schedule/verifier.hpp"
#include "tests/catch.hpp"
#include "tests/random_schedule.hpp"

using namespace roce;
using namespace roce::schedule;

namespace {

/// Runs one epoch of a schedule, ranks in turn, puts read and delivered when they are issued.
/// Elements are hashes of how they came about, so that the order of folds shows.
class Machine {
 public:
  Machine(const Schedule& schedule, std::size_t cells, bool in_place, std::uint64_t seed)
      : schedule_(schedule), cells_(cells), in_place_(in_place), random_(seed) {
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      for (std::size_t cell = 0; cell < cells; ++cell) {
        memory(rank, Buffer::In, 0)[cell] = mix(static_cast<std::uint64_t>(rank) + 1, cell);
      }
    }
  }

  /// False when the ranks block each other.
  bool run() {
    std::vector<std::size_t> next(schedule_.programs.size(), 0);
    for (int idle = 0; idle < 10'000; ++idle) {
      const std::size_t rank = random_() % next.size();
      const Program& program = schedule_.programs[rank];
      while (next[rank] < program.size() && random_() % 4 != 0) {
        if (!step(static_cast<int>(rank), program[next[rank]])) break;
        ++next[rank];
        idle = 0;
      }
      bool ended = true;
      for (std::size_t i = 0; i < next.size(); ++i) {
        ended = ended && next[i] == schedule_.programs[i].size();
      }
      if (ended) return true;
    }
    return false;
  }

  const std::vector<std::uint64_t>& out(int rank) { return memory(rank, Buffer::Out, 0); }

 private:
  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t hash = (a ^ (b + 0x9E3779B97F4A7C15U)) * 0xBF58476D1CE4E5B9U;
    return hash ^ (hash >> 31U);
  }

  std::vector<std::uint64_t>& memory(int rank, Buffer buffer, int slot) {
    const int index = buffer == Buffer::Slot ? slot + 2 : buffer == Buffer::Out && !in_place_;
    auto& cells = memories_[{rank, index}];
    cells.resize(cells_, 0);
    return cells;
  }
  std::uint64_t& at(int rank, const Slice& slice, std::size_t cell) {
    return memory(rank, slice.buffer, slice.slot)[cell];
  }

  bool step(int rank, const Operation& op) {
    switch (op.kind) {
      case OpKind::Wait:
        return arrived_.contains({rank, op.dst.slot});
      case OpKind::Signal:
        arrived_.insert({op.peer, op.dst.slot});
        return true;
      case OpKind::Flush:
        return true;
      case OpKind::Put:
        arrived_.insert({op.peer, op.dst.slot});
        fold(rank, op, op.peer);
        return true;
      case OpKind::Copy:
      case OpKind::Reduce:
        if (!op.sources.empty()) fold(rank, op, rank);
        return true;
    }
    return false;
  }

  void fold(int rank, const Operation& op, int owner) {
    const std::size_t end =
        runtime::position(cells_, std::size_t{op.dst.first} + op.dst.count, op.dst.of);
    for (std::size_t i = runtime::position(cells_, op.dst.first, op.dst.of); i < end; ++i) {
      std::uint64_t value = at(rank, op.sources[0], i);
      for (std::size_t s = 1; s < op.sources.size(); ++s)
        value = mix(value, at(rank, op.sources[s], i));
      at(owner, op.dst, i) = value;
    }
  }

  const Schedule& schedule_;
  std::size_t cells_;
  bool in_place_;
  std::mt19937_64 random_;
  std::map<std::pair<int, int>, std::vector<std::uint64_t>> memories_;
  std::set<std::pair<int, int>> arrived_;
};

unsigned blocks_of(const Schedule& schedule) {
  const bool blocked = schedule.collective == Collective::AllGather ||
                       schedule.collective == Collective::ReduceScatter;
  return blocked ? static_cast<unsigned>(schedule.ranks) : 1;
}

Schedule without_staging(const Schedule& schedule) {
  Schedule direct = schedule;
  for (Program& program : direct.programs) {
    program = runtime::remove_staging(program, blocks_of(schedule));
  }
  return direct;
}

/// What differs between a schedule with and without staging, or nothing.
std::string difference(const Schedule& schedule, std::uint64_t seed) {
  const Schedule direct = without_staging(schedule);
  const std::size_t cells = static_cast<std::size_t>(schedule.ranks) * 24 + 1;
  for (const bool in_place : {false, true}) {
    Machine before(schedule, cells, in_place, seed);
    Machine after(direct, cells, in_place, seed + 1);
    if (!before.run()) return "the schedule itself does not end";
    if (!after.run()) return "it does not end without staging";
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      if (before.out(rank) == after.out(rank)) continue;
      return fmt::format("rank {}'s result differs {}", rank, in_place ? "in place" : "");
    }
  }
  return {};
}

bool within_block(const Slice& slice, unsigned blocks) {
  const unsigned first = slice.first * blocks / slice.of;
  const unsigned last = ((unsigned{slice.first} + slice.count) * blocks - 1) / slice.of;
  return first == last;
}

std::size_t staged_copies(const Program& program) {
  return static_cast<std::size_t>(
      std::count_if(program.begin(), program.end(), [](const Operation& op) {
        return op.kind == OpKind::Copy && !op.sources.empty() && op.dst.buffer == Buffer::Slot;
      }));
}

/// Operations as text, to compare programs.
std::vector<std::string> text(const Program& program) {
  std::vector<std::string> lines;
  for (const Operation& op : program) lines.push_back(to_text(op));
  return lines;
}

Program direct(const Program& program, unsigned blocks = 1) {
  return runtime::remove_staging(program, blocks);
}

}  // namespace

TEST_CASE("without staging every schedule of the catalog gives the same results") {
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16}) {
    const auto fabric = topology::Fabric::make(topology::FabricClass::Switch, ranks);
    for (const CatalogEntry& entry : catalog()) {
      const auto offered = offer(entry, fabric, ranks / 2);
      if (!offered) continue;
      INFO(to_string(entry.collective) << "/" << entry.name << " of " << ranks);
      CHECK(difference(offered->schedule(), static_cast<std::uint64_t>(ranks)).empty());
    }
  }
}

TEST_CASE("without staging random schedules give the same results") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(seed);
    const int ranks = 1 + static_cast<int>(random() % 8);
    const auto collective = static_cast<Collective>(random() % collective_count);
    const Schedule schedule = test::random_schedule(random, ranks, collective);
    INFO("seed " << seed);
    REQUIRE(difference(schedule, seed).empty());
  }
}

TEST_CASE("without staging no put and no fold spans blocks that lie apart") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    const auto collective = seed % 2 == 0 ? Collective::AllGather : Collective::ReduceScatter;
    const Schedule direct_schedule =
        without_staging(test::random_schedule(random, 2 + static_cast<int>(seed % 5), collective));
    for (const Program& program : direct_schedule.programs) {
      for (const Operation& op : program) {
        if (op.kind != OpKind::Put && op.kind != OpKind::Reduce) continue;
        for (const Slice& source : op.sources) {
          if (source.buffer == Buffer::Slot) continue;
          CHECK(within_block(source, blocks_of(direct_schedule)));
        }
      }
    }
  }
}

TEST_CASE("the common schedules stage nothing") {
  const auto fabric = topology::Fabric::make(topology::FabricClass::Switch, 4);
  for (const char* name : {"one_shot", "two_shot", "bidirectional_ring"}) {
    const auto offered = offer(find(Collective::AllReduce, name), fabric, 0);
    const Program program = direct(offered->schedule().programs[1]);
    INFO(name);
    CHECK(staged_copies(program) == 0);
    CHECK(program.size() == offered->schedule().programs[1].size());
  }
}

TEST_CASE("an input that is overwritten before it is sent stays staged") {
  const Program program{copy(slot(0), in()), copy(out(), slot(1)), put(1, 0, slot(0))};
  CHECK(text(direct(program)) == text(program));
  const Program elsewhere{copy(slot(0), in({0, 1, 2})), copy(out({1, 1, 2}), slot(1, {1, 1, 2})),
                          put(1, 0, slot(0, {0, 1, 2}))};
  CHECK(direct(elsewhere)[2].sources[0].buffer == Buffer::In);
}

TEST_CASE("a slot that a peer or another operation fills, too, stays") {
  const Program waited{copy(slot(0), in()), put(1, 0, slot(0)), wait(0), copy(out(), slot(0))};
  CHECK(text(direct(waited)) == text(waited));
  const Program twice{copy(slot(0), in()), put(1, 0, slot(0)), copy(slot(0), slot(1)),
                      put(1, 1, slot(0))};
  CHECK(text(direct(twice)) == text(twice));
}

TEST_CASE("a result is not folded into Out early when the input there is still needed") {
  const Program program{reduce(slot(0), {in(), slot(1)}), put(1, 0, slot(0)), put(1, 1, in()),
                        copy(out(), slot(0))};
  CHECK(direct(program)[0].dst.buffer == Buffer::Slot);
  const Program before{put(1, 1, in()), reduce(slot(0), {in(), slot(1)}), put(1, 0, slot(0)),
                       copy(out(), slot(0))};
  const Program changed = direct(before);
  CHECK(changed[1].dst.buffer == Buffer::Out);
  CHECK(changed[2].sources[0].buffer == Buffer::Out);
  CHECK(changed[3].sources.empty());
}

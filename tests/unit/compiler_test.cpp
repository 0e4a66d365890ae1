// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/compiler.hpp"

#include <vector>

#include "src/schedule/build.hpp"
#include "src/schedule/verifier.hpp"
#include "tests/catch.hpp"
#include "tests/support/executor_group.hpp"

using namespace roce;
using namespace roce::schedule;
using namespace roce::tests;

namespace {

Schedule empty(Collective collective, int slots) {
  Schedule schedule;
  schedule.collective = collective;
  schedule.name = "by_hand";
  schedule.ranks = 2;
  schedule.slots = static_cast<std::uint16_t>(slots);
  schedule.programs.resize(2);
  return schedule;
}

VerifiedSchedule verified(Schedule schedule) {
  return verify(std::move(schedule), topology::Fabric::make(topology::FabricClass::Pair, 2));
}

/// A reduce-scatter in which both ranks fold the whole vector, all blocks in one operation.
VerifiedSchedule fold_of_all_blocks() {
  Schedule schedule = empty(Collective::ReduceScatter, 3);
  for (int rank = 0; rank < 2; ++rank) {
    const Slice first = rank == 0 ? in() : slot(1);
    const Slice second = rank == 0 ? slot(1) : in();
    const Part own{rank, 1, 2};
    schedule.programs[static_cast<std::size_t>(rank)] = {
        copy(slot(0), in()), put(1 - rank, 1, slot(0)), wait(1),
        roce::schedule::reduce(slot(2), {first, second}), copy(out(own), slot(2, own))};
  }
  return verified(std::move(schedule));
}

/// An all-gather that puts straight from what the caller gave.
VerifiedSchedule put_from_input() {
  Schedule schedule = empty(Collective::AllGather, 1);
  for (int rank = 0; rank < 2; ++rank) {
    const Part own{rank, 1, 2};
    const Part other{1 - rank, 1, 2};
    schedule.programs[static_cast<std::size_t>(rank)] = {put(1 - rank, 0, in(own)), flush(1 - rank),
                                                         copy(out(own), in(own)), wait(0),
                                                         copy(out(other), slot(0, other))};
  }
  return verified(std::move(schedule));
}

/// A reduce-scatter in which each rank puts all of its input, every block, at once.
VerifiedSchedule put_of_all_blocks() {
  Schedule schedule = empty(Collective::ReduceScatter, 1);
  for (int rank = 0; rank < 2; ++rank) {
    const Part own{rank, 1, 2};
    const Slice first = rank == 0 ? in(own) : slot(0, own);
    const Slice second = rank == 0 ? slot(0, own) : in(own);
    schedule.programs[static_cast<std::size_t>(rank)] = {
        put(1 - rank, 0, in()), flush(1 - rank), wait(0),
        roce::schedule::reduce(out(own), {first, second})};
  }
  return verified(std::move(schedule));
}

/// A broadcast in which rank 1 completes, with its own hands, a slot that rank 0 half fills.
VerifiedSchedule slot_filled_by_two() {
  constexpr Part first{0, 1, 2};
  constexpr Part second{1, 1, 2};
  Schedule schedule = empty(Collective::Broadcast, 4);
  schedule.programs[0] = {copy(slot(2), in()), put(1, 0, slot(2, first)),
                          put(1, 1, slot(2, second)), copy(out(), slot(2)), wait(3)};
  schedule.programs[1] = {wait(0), wait(1), copy(slot(0, second), slot(1, second)),
                          copy(out(), slot(0)), signal(0, 3)};
  return verified(std::move(schedule));
}

std::vector<CollectiveCase> cases_of(const VerifiedSchedule& schedule) {
  std::vector<CollectiveCase> cases;
  for (const std::size_t count : {1U, 5U, 64U, 333U, 2U, 1000U, 7U}) {
    for (const auto kind : {ReduceOp::Kind::Sum, ReduceOp::Kind::PremulSum, ReduceOp::Kind::Avg}) {
      CollectiveCase what;
      what.spec = {schedule.schedule().collective, count, DataType::Float32, kind, 0, "by_hand"};
      what.ranks = 2;
      what.numerics = schedule.facts().numerics;
      what.seed = count;
      cases.push_back(what);
    }
  }
  return cases;
}

ExecutorOptions in_short_segments(bool chaos) {
  ExecutorOptions options;
  options.chaos = chaos;
  options.segment_limit = 512;
  return options;
}

void check_refusal(const VerifiedSchedule& schedule, bool reads_source_at_once) {
  const runtime::LaneLayout layout = runtime::lay_out(schedule, 4096);
  for (int rank = 0; rank < 2; ++rank) {
    runtime::Binding binding;
    binding.rank = rank;
    binding.elements = 16;
    binding.block_stride = 32;
    binding.reads_source_at_once = reads_source_at_once;
    INFO("rank " << rank);
    try {
      static_cast<void>(runtime::compile(schedule, layout, binding));
      FAIL_CHECK("it was compiled");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::Unsupported);
      CHECK_THAT(error.what(), Catch::Matchers::Contains("by_hand"));
    }
  }
}

}  // namespace

TEST_CASE("a fold may span blocks that lie apart in the caller's buffer") {
  const VerifiedSchedule schedule = fold_of_all_blocks();
  for (const bool chaos : {false, true}) {
    CHECK_NOTHROW(run_on_executors(schedule, cases_of(schedule), in_short_segments(chaos)));
  }
}

TEST_CASE("puts from the caller's buffers need a transport that reads them at once") {
  const VerifiedSchedule schedule = put_from_input();
  CHECK_NOTHROW(run_on_executors(schedule, cases_of(schedule), in_short_segments(false)));
  check_refusal(schedule, false);
}

TEST_CASE("a put of blocks that lie apart is refused") {
  check_refusal(put_of_all_blocks(), true);
  check_refusal(put_of_all_blocks(), false);
}

TEST_CASE("a slot that is filled by more than one put is refused") {
  check_refusal(slot_filled_by_two(), true);
  check_refusal(slot_filled_by_two(), false);
}

TEST_CASE("a receiver may write into a slot that its sender fills for several") {
  // One-shot by hand: ranks 1 and 2 fold in the very slot that rank 0 sent to both.
  Schedule schedule;
  schedule.collective = Collective::AllReduce;
  schedule.name = "by_hand";
  schedule.ranks = 3;
  schedule.slots = 4;
  for (int rank = 0; rank < 3; ++rank) {
    const int sum = rank == 0 ? 3 : 0;
    Program program{copy(slot(rank), in())};
    for (int peer = 0; peer < 3; ++peer) {
      if (peer != rank) program.push_back(put(peer, rank, slot(rank)));
    }
    for (int peer = 0; peer < 3; ++peer) {
      if (peer != rank) program.push_back(wait(peer));
    }
    program.push_back(roce::schedule::reduce(slot(sum), {slot(0), slot(1)}));
    program.push_back(roce::schedule::reduce(out(), {slot(sum), slot(2)}));
    schedule.programs.push_back(program);
  }
  const VerifiedSchedule sound =
      verify(std::move(schedule), topology::Fabric::make(topology::FabricClass::Switch, 3));
  std::vector<CollectiveCase> cases = cases_of(sound);
  for (CollectiveCase& what : cases) what.ranks = 3;
  for (const bool chaos : {false, true}) {
    CHECK_NOTHROW(run_on_executors(sound, cases, in_short_segments(chaos)));
  }
}

TEST_CASE("a signal into a slot of which other ranks get data stays a signal") {
  Schedule schedule;
  schedule.collective = Collective::Broadcast;
  schedule.name = "by_hand";
  schedule.ranks = 4;
  schedule.slots = 5;
  schedule.programs.push_back({copy(slot(0), in()), signal(3, 0), put(1, 0, slot(0)),
                               put(2, 0, slot(0)), put(3, 1, slot(0)), copy(out(), in()), wait(2),
                               wait(3), wait(4)});
  for (int rank = 1; rank < 3; ++rank) {
    schedule.programs.push_back({wait(0), copy(out(), slot(0)), signal(0, 1 + rank)});
  }
  schedule.programs.push_back({wait(0), wait(1), copy(out(), slot(1)), signal(0, 4)});
  const VerifiedSchedule sound =
      verify(std::move(schedule), topology::Fabric::make(topology::FabricClass::Switch, 4));
  std::vector<CollectiveCase> cases = cases_of(sound);
  for (CollectiveCase& what : cases) what.ranks = 4;
  for (const bool chaos : {false, true}) {
    CHECK_NOTHROW(run_on_executors(sound, cases, in_short_segments(chaos)));
  }
}

TEST_CASE("chunks of one slot may be used in any order by messages of different sizes") {
  // Rank 0 stages both halves in one slot. Of an epoch's first half it learns only in the midst of
  // the next epoch that it was sent, after it has staged the next second half.
  constexpr Part first{0, 1, 2};
  constexpr Part second{1, 1, 2};
  Schedule schedule = empty(Collective::Broadcast, 3);
  schedule.programs[0] = {
      copy(slot(0, second), in(second)), put(1, 1, slot(0, second)), wait(1),
      copy(slot(0, first), in(first)),   put(1, 2, slot(0, first)),  copy(out(), in())};
  schedule.programs[1] = {wait(1), copy(out(second), slot(1, second)), signal(0, 1), wait(2),
                          copy(out(first), slot(2, first))};
  const VerifiedSchedule sound = verified(std::move(schedule));
  std::vector<CollectiveCase> cases;
  for (int i = 0; i < 200; ++i) {
    CollectiveCase what;
    what.spec = {
        Collective::Broadcast, i / 2 % 2 == 0 ? 40U : 400U, DataType::Int32, {}, 0, "by_hand"};
    what.ranks = 2;
    what.seed = static_cast<std::uint64_t>(i);
    cases.push_back(what);
  }
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    ExecutorOptions options;
    options.chaos = true;
    options.seed = seed;
    options.in_flight = 6;
    INFO("depth " << sound.facts().depth << ", seed " << seed);
    CHECK_NOTHROW(run_on_executors(sound, cases, options));
  }
}

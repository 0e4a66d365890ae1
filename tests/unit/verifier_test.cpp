// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/verifier.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "roce/status.hpp"
#include "src/schedule/build.hpp"
#include "src/schedule/catalog.hpp"
#include "tests/catch.hpp"

using namespace roce::schedule;
using roce::Collective;
using roce::Numerics;
using roce::test::contains;
using roce::topology::Fabric;
using roce::topology::FabricClass;

namespace {

Fabric mesh(int ranks) { return Fabric::make(FabricClass::Mesh, ranks); }
Fabric ring(int ranks) { return Fabric::make(FabricClass::Ring, ranks); }

Schedule made(Collective collective, const char* name, const Fabric& fabric, int root = 0) {
  return find(collective, name).make(fabric, root).value();
}

Schedule two_ranks(Collective collective, int slots, Program first, Program second) {
  Schedule schedule;
  schedule.collective = collective;
  schedule.name = "made_up";
  schedule.ranks = 2;
  schedule.slots = static_cast<std::uint16_t>(slots);
  schedule.programs = {std::move(first), std::move(second)};
  return schedule;
}

/// Each rank puts its In to everyone, without staging.
Schedule unstaged_one_shot(int ranks, bool flushed) {
  Schedule schedule = made(Collective::AllReduce, "one_shot", mesh(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    Program& program = schedule.programs[static_cast<std::size_t>(rank)];
    program.erase(program.begin());
    for (Operation& operation : program) {
      if (operation.kind == OpKind::Put) operation.sources = {in()};
    }
    program.back().sources[static_cast<std::size_t>(rank)] = in();
    for (int peer = 0; flushed && peer < ranks; ++peer) {
      if (peer != rank) program.insert(program.end() - 1, flush(peer));
    }
  }
  return schedule;
}

Schedule without(Schedule schedule, OpKind kind) {
  for (Program& program : schedule.programs) {
    std::erase_if(program, [kind](const Operation& op) { return op.kind == kind; });
  }
  return schedule;
}

/// A broadcast without its acknowledgements: neither signals nor the root's waits.
Schedule unacknowledged(Schedule schedule) {
  schedule = without(std::move(schedule), OpKind::Signal);
  std::erase_if(schedule.programs[static_cast<std::size_t>(schedule.root)],
                [](const Operation& op) { return op.kind == OpKind::Wait; });
  return schedule;
}

void check_sound(const Schedule& schedule, const Fabric& fabric, int depth, Numerics numerics) {
  CAPTURE(schedule.name, schedule.ranks, depth);
  const Verdict verdict = check(schedule, fabric, depth);
  CHECK(verdict.reason.empty());
  CHECK(verdict.sound());
  CHECK(verdict.numerics == numerics);
}

void check_fault(const Schedule& schedule, const Fabric& fabric, int depth, Fault fault,
                 const std::string& words) {
  CAPTURE(schedule.name, schedule.ranks, depth);
  const Verdict verdict = check(schedule, fabric, depth);
  CHECK(to_string(verdict.fault) == to_string(fault));
  CHECK_THAT(verdict.reason, contains(words));
}

}  // namespace

TEST_CASE("known verdicts: one-shot straight from the caller's input") {
  for (const int ranks : {2, 3, 4, 8}) {
    for (const int depth : {1, 2, 4}) {
      check_fault(unstaged_one_shot(ranks, false), mesh(ranks), depth, Fault::Race,
                  "nothing orders the read by [rank 0, epoch 0, op 0: put 1.slot0 <- in] and");
    }
    check_sound(unstaged_one_shot(ranks, true), mesh(ranks), 2, Numerics::RankOrdered);
    const VerifiedSchedule flushed = verify(unstaged_one_shot(ranks, true), mesh(ranks));
    CHECK(flushed.facts().flush_needed);
  }
}

TEST_CASE("known verdicts: one-shot from a staged slot") {
  for (const int ranks : {2, 3, 4, 8}) {
    const Schedule schedule = made(Collective::AllReduce, "one_shot", mesh(ranks));
    check_fault(schedule, mesh(ranks), 1, Fault::Race, "slot 0 of rank 0 at depth 1");
    check_sound(schedule, mesh(ranks), 2, Numerics::RankOrdered);
  }
}

TEST_CASE("known verdicts: bidirectional relay on ring links only") {
  for (const int ranks : {2, 3, 4, 8}) {
    const Schedule schedule = made(Collective::AllReduce, "bidirectional_relay", ring(ranks));
    check_fault(schedule, ring(ranks), 1, Fault::Race, "nothing orders");
    check_sound(schedule, ring(ranks), 2, Numerics::RankOrdered);
  }
}

TEST_CASE("known verdicts: recursive doubling") {
  for (const int ranks : {2, 4, 8}) {
    const Schedule schedule = made(Collective::AllReduce, "recursive_doubling", mesh(ranks));
    check_fault(schedule, mesh(ranks), 1, Fault::Race, "nothing orders");
    check_sound(schedule, mesh(ranks), 2, ranks == 2 ? Numerics::RankOrdered : Numerics::Agreed);
  }
}

TEST_CASE("known verdicts: two-shot") {
  for (const int ranks : {2, 4, 8}) {
    const Schedule schedule = made(Collective::AllReduce, "two_shot", mesh(ranks));
    check_sound(schedule, mesh(ranks), 1, Numerics::RankOrdered);
    check_sound(schedule, mesh(ranks), 2, Numerics::RankOrdered);
  }
}

TEST_CASE("known verdicts: broadcast") {
  for (const int ranks : {2, 4, 8}) {
    const Schedule schedule = made(Collective::Broadcast, "flat", mesh(ranks));
    check_sound(schedule, mesh(ranks), 1, Numerics::RankOrdered);
    check_sound(schedule, mesh(ranks), 2, Numerics::RankOrdered);
    for (const int depth : {1, 2, 4, 8, 16}) {
      check_fault(unacknowledged(schedule), mesh(ranks), depth, Fault::Race, "slot 0 of rank");
    }
    CHECK_THROWS_AS(verify(unacknowledged(schedule), mesh(ranks)), roce::Error);
  }
}

TEST_CASE("known verdicts: one-shot on a ring of four has no link 0-2") {
  const Schedule schedule = made(Collective::AllReduce, "one_shot", mesh(4));
  check_fault(schedule, ring(4), 2, Fault::OffFabric, "no link 0-2");
  CHECK_FALSE(offer(find(Collective::AllReduce, "one_shot"), ring(4), 0));
  CHECK(offer(find(Collective::AllReduce, "one_shot"), ring(3), 0));
}

TEST_CASE("a race names both accesses") {
  const Schedule schedule = made(Collective::AllReduce, "one_shot", mesh(2));
  CHECK(check(schedule, mesh(2), 1).reason ==
        "slot 0 of rank 0 at depth 1: nothing orders the read by [rank 0, epoch 0, op 1: put "
        "1.slot0 <- slot0] and the write by [rank 0, epoch 1, op 0: copy slot0 <- in]");
}

TEST_CASE("a dropped put leaves a wait that never ends") {
  Schedule schedule = made(Collective::AllReduce, "one_shot", mesh(3));
  schedule.programs[1].erase(schedule.programs[1].begin() + 2);
  check_fault(schedule, mesh(3), 2, Fault::Deadlock,
              "rank 0, epoch 0, op 4: wait slot1 never ends");
}

TEST_CASE("a dropped wait is a race between landing and read") {
  Schedule schedule = made(Collective::AllReduce, "one_shot", mesh(3));
  schedule.programs[0].erase(schedule.programs[0].begin() + 3);
  for (const int depth : {2, 4, 16}) {
    check_fault(schedule, mesh(3), depth, Fault::Race, "put 0.slot2 <- slot2");
  }
}

TEST_CASE("waits that wait for each other are a deadlock, with the cycle named") {
  const Schedule schedule =
      two_ranks(Collective::Barrier, 1, {wait(0), signal(1, 0)}, {wait(0), signal(0, 0)});
  check_fault(schedule, mesh(2), 2, Fault::Deadlock,
              "[rank 0, epoch 0, op 0: wait slot0] [rank 1, epoch 0, op 0: wait slot0]");
}

TEST_CASE("swapped waits are harmless in one-shot and a deadlock before a put that they gate") {
  Schedule schedule = made(Collective::AllReduce, "one_shot", mesh(3));
  std::swap(schedule.programs[0][3], schedule.programs[0][4]);
  check_sound(schedule, mesh(3), 2, Numerics::RankOrdered);
  Schedule two_shot = made(Collective::AllReduce, "two_shot", mesh(2));
  // Both ranks wait for the result before they send what it is made of.
  for (Program& program : two_shot.programs) {
    const auto last_wait = std::find_if(program.rbegin(), program.rend(), [](const Operation& op) {
      return op.kind == OpKind::Wait;
    });
    std::rotate(program.begin(), last_wait.base() - 1, last_wait.base());
  }
  check_fault(two_shot, mesh(2), 2, Fault::Deadlock, "waits for the next");
}

TEST_CASE("a put along no link is refused by the link's name") {
  Schedule schedule = made(Collective::AllReduce, "bidirectional_relay", ring(5));
  schedule.slots = 6;
  schedule.programs[0][1] = put(3, 5, slot(0));
  check_fault(schedule, ring(5), 2, Fault::OffFabric,
              "no link 0-3 on this ring of 5: rank 0, op 1: put 3.slot5 <- slot0");
  schedule = made(Collective::Barrier, "dissemination", mesh(8));
  check_fault(schedule, ring(8), 2, Fault::OffFabric, "no link 0-2 on this ring of 8");
}

TEST_CASE("a wrong chunk is wrong data or an undefined read") {
  Schedule schedule = made(Collective::AllReduce, "two_shot", mesh(2));
  Operation& put_block = schedule.programs[0][1];
  REQUIRE(put_block.kind == OpKind::Put);
  put_block.dst.first = put_block.sources[0].first = 0;
  check_fault(schedule, mesh(2), 2, Fault::Malformed,
              "a part of which nothing is put or written into");

  schedule = made(Collective::AllGather, "recursive_doubling", mesh(4));
  Program& program = schedule.programs[0];
  Operation& second = *std::find_if(program.begin() + 2, program.end(),
                                    [](const Operation& op) { return op.kind == OpKind::Put; });
  second.dst.count = second.sources[0].count = 1;
  check_fault(schedule, mesh(4), 2, Fault::Malformed, "nothing is put");
}

TEST_CASE("another operand order is another association or bits that differ") {
  Schedule schedule = made(Collective::AllReduce, "one_shot", mesh(3));
  for (Program& program : schedule.programs) {
    std::swap(program.back().sources[1], program.back().sources[2]);
  }
  check_sound(schedule, mesh(3), 2, Numerics::Agreed);
  std::swap(schedule.programs[2].back().sources[1], schedule.programs[2].back().sources[2]);
  check_fault(schedule, mesh(3), 2, Fault::Wrong, "rank 0 has other bits");

  schedule = made(Collective::AllReduce, "one_shot", mesh(3));
  std::swap(schedule.programs[2].back().sources[0], schedule.programs[2].back().sources[1]);
  check_sound(schedule, mesh(3), 2, Numerics::RankOrdered);
}

TEST_CASE("an input that is missing, or there twice, is wrong") {
  Schedule schedule = made(Collective::AllReduce, "one_shot", mesh(3));
  for (Program& program : schedule.programs) program.back().sources.pop_back();
  check_fault(schedule, mesh(3), 2, Fault::Wrong, "should hold the input of each rank once");
  for (Program& program : schedule.programs) program.back().sources.push_back(slot(1));
  check_fault(schedule, mesh(3), 2, Fault::Wrong, "should hold the input of each rank once");
}

TEST_CASE("an extra rounding is not the left fold") {
  Schedule one_shot = made(Collective::AllReduce, "one_shot", mesh(3));
  one_shot.slots = 4;
  for (Program& program : one_shot.programs) {
    program.pop_back();
    program.push_back(reduce(slot(3), {slot(0), slot(1)}));
    program.push_back(reduce(out(), {slot(3), slot(2)}));
  }
  check_sound(one_shot, mesh(3), 2, Numerics::Agreed);
}

TEST_CASE("a relay of a slot that is rewritten too early") {
  Schedule schedule = made(Collective::AllReduce, "bidirectional_relay", ring(5));
  Program& program = schedule.programs[0];
  const auto relay = std::find_if(program.begin() + 3, program.end(),
                                  [](const Operation& op) { return op.kind == OpKind::Put; });
  const Slice source = relay->sources[0];
  program.insert(relay + 1, copy(source, slot(0)));
  check_fault(schedule, ring(5), 2, Fault::Race, "write by [rank 0, epoch 0");
}

TEST_CASE("a staging slot may be reused after a flush only") {
  const auto sender = [](bool flushed) {
    Program program{copy(slot(0, {0, 1, 2}), in({0, 1, 2})),
                    put(1, 1, slot(0, {0, 1, 2})),
                    copy(slot(0, {0, 1, 2}), in({0, 1, 2})),
                    put(1, 2, slot(0, {0, 1, 2})),
                    copy(slot(0, {1, 1, 2}), in({1, 1, 2})),
                    put(1, 3, slot(0, {1, 1, 2})),
                    copy(out(), in()),
                    wait(1)};
    if (flushed) program.insert(program.begin() + 2, flush(1));
    return program;
  };
  const Program receiver{wait(1),
                         wait(2),
                         wait(3),
                         copy(out({0, 1, 2}), slot(1, {0, 1, 2})),
                         copy(out({1, 1, 2}), slot(3, {1, 1, 2})),
                         signal(0, 1)};
  check_fault(two_ranks(Collective::Broadcast, 4, sender(false), receiver), mesh(2), 2, Fault::Race,
              "read by [rank 0, epoch 0, op 1: put 1.slot1[0/2] <- slot0]");
  const VerifiedSchedule flushed =
      verify(two_ranks(Collective::Broadcast, 4, sender(true), receiver), mesh(2));
  CHECK(flushed.facts().flush_needed);
  CHECK(flushed.facts().depth == 1);
}

TEST_CASE("a flush at the head of the next epoch counts, one of another peer does not") {
  const auto make = [](int flushed) {
    Schedule schedule = made(Collective::AllReduce, "one_shot", mesh(3));
    for (int rank = 0; rank < 3; ++rank) {
      Program& program = schedule.programs[static_cast<std::size_t>(rank)];
      for (int step = 1; step <= flushed; ++step) {
        program.insert(program.begin(), flush((rank + step) % 3));
      }
      program.push_back(signal((rank + 1) % 3, 3));
      program.push_back(signal((rank + 2) % 3, 4));
      program.push_back(wait(3));
      program.push_back(wait(4));
    }
    schedule.slots = 5;
    return schedule;
  };
  CHECK(check(make(0), mesh(3), 1).sound());
  // Without the landings being known, the staged slot needs the flush.
  Schedule partly = make(1);
  CHECK(check(partly, mesh(3), 1).sound());
  CHECK_FALSE(verify(make(2), mesh(3)).facts().flush_needed);
}

TEST_CASE("an arrival flag must not be overwritten unseen") {
  // Rank 0 never learns that rank 1 has waited.
  const Schedule schedule =
      two_ranks(Collective::Broadcast, 1, {copy(out(), in()), signal(1, 0)}, {wait(0)});
  check_fault(schedule, mesh(2), 2, Fault::Race, "slot 0's flag of rank 1");
}

TEST_CASE("a put that nothing waits for is a race with itself") {
  Schedule schedule = made(Collective::AllReduce, "one_shot", mesh(2));
  schedule.slots = 3;
  schedule.programs[0].push_back(put(1, 2, slot(0)));
  check_fault(schedule, mesh(2), 2, Fault::Race, "put 1.slot2 <- slot0");
}

TEST_CASE("a flush after the result is written is too late when in place") {
  Schedule schedule = unstaged_one_shot(2, true);
  for (Program& program : schedule.programs) std::swap(program[2], program[3]);
  check_fault(schedule, mesh(2), 2, Fault::Race,
              "[rank 0, epoch 0, op 2: reduce out <- in slot1] when in place");
}

TEST_CASE("in place, input that is overwritten too early is caught") {
  // Right with separate buffers: the second half is added after the first was written.
  const Part first{0, 1, 2};
  const auto program = [&](int other) {
    return Program{copy(slot(0), in()), put(other, 1, slot(0)), copy(out(), in()), wait(1),
                   reduce(out(), other == 1 ? std::vector<Slice>{slot(0), slot(1)}
                                            : std::vector<Slice>{slot(1), slot(0)})};
  };
  check_sound(two_ranks(Collective::AllReduce, 2, program(1), program(0)), mesh(2), 2,
              Numerics::RankOrdered);
  const auto hazard = [&](int other) {
    Program changed = program(other);
    changed[2] = copy(out(first), slot(0, first));
    changed.insert(changed.begin() + 3, reduce(out(first), {in(first), slot(0, first)}));
    changed[5] = reduce(
        out(), other == 1 ? std::vector<Slice>{in(), slot(1)} : std::vector<Slice>{slot(1), in()});
    return changed;
  };
  check_fault(two_ranks(Collective::AllReduce, 2, hazard(1), hazard(0)), mesh(2), 2, Fault::Wrong,
              "when in place");
}

TEST_CASE("a barrier that a rank can leave too early is wrong") {
  Schedule schedule = made(Collective::Barrier, "dissemination", mesh(4));
  for (Program& program : schedule.programs) program.resize(2);
  check_fault(schedule, mesh(4), 16, Fault::Wrong,
              "rank 0 can leave the barrier before rank 1 has come");
  Schedule one_way =
      two_ranks(Collective::Barrier, 2, {signal(1, 0), wait(1)}, {signal(0, 1), wait(0)});
  CHECK(check(one_way, mesh(2), 2).sound());
  CHECK(check(two_ranks(Collective::Barrier, 0, {}, {}), mesh(2), 1).reason ==
        "rank 0 can leave the barrier before rank 1 has come");
}

TEST_CASE("what a wrong rank sends or gets is wrong") {
  Schedule schedule = made(Collective::Broadcast, "flat", mesh(3), 1);
  schedule.programs[1][3] = copy(out(), in());
  CHECK(check(schedule, mesh(3), 1).sound());
  schedule.programs[0].erase(schedule.programs[0].begin() + 1);
  check_fault(schedule, mesh(3), 1, Fault::Wrong, "rank 0's out holds undefined");
}

TEST_CASE("malformed schedules are refused with the operation") {
  const Schedule good = made(Collective::AllReduce, "one_shot", mesh(3));
  const auto changed = [&](auto&& change) {
    Schedule schedule = good;
    change(schedule.programs[0]);
    return schedule;
  };
  const auto refused = [&](const char* words, auto&& change) {
    check_fault(changed(change), mesh(3), 2, Fault::Malformed, words);
  };
  refused("unknown peer 3", [](Program& p) { p[1].peer = 3; });
  refused("unknown peer -1", [](Program& p) { p[1].peer = -1; });
  refused("its own rank", [](Program& p) { p[1].peer = 0; });
  refused("names slot 3 of 3", [](Program& p) { p[1].dst.slot = 3; });
  refused("names slot 7 of 3", [](Program& p) { p[4].dst.slot = 7; });
  refused("names slot 9 of 3", [](Program& p) { p[5].sources[0].slot = 9; });
  refused("must name a slot", [](Program& p) { p[1].dst.buffer = Buffer::Out; });
  refused("writes the caller's input", [](Program& p) { p[5].dst.buffer = Buffer::In; });
  refused("outside of the vector", [](Program& p) { p[0].dst.first = 1; });
  refused("empty or outside", [](Program& p) { p[0].dst.count = 0; });
  refused("empty or outside", [](Program& p) { p[0].dst.of = 0; });
  refused("unequal parts", [](Program& p) { p[5].sources[1].of = 2; });
  refused("0 sources instead of 1", [](Program& p) { p[0].sources.clear(); });
  refused("a reduce takes 1 to 64", [](Program& p) { p[5].sources.assign(65, slot(0)); });
  refused("carries no data", [](Program& p) { p[3].sources.push_back(slot(0)); });
  refused("kind that does not exist", [](Program& p) { p[3].kind = static_cast<OpKind>(9); });
  refused("two puts into slot 0 of rank 1", [](Program& p) { p[2].peer = 1; });
  refused("unknown peer 5", [](Program& p) { p.push_back(flush(5)); });

  Schedule schedule = good;
  schedule.programs.pop_back();
  check_fault(schedule, mesh(3), 2, Fault::Malformed, "2 programs for 3 ranks");
  check_fault(good, mesh(4), 2, Fault::Malformed, "a schedule for 3 ranks on a fabric of 4");
  check_fault(good, mesh(3), 0, Fault::Malformed, "depth 0");
  schedule = good;
  schedule.root = 3;
  check_fault(schedule, mesh(3), 2, Fault::Malformed, "root 3 of 3 ranks");
}

TEST_CASE("a rank has only its own block of a gather's input and a scatter's output") {
  Schedule schedule = made(Collective::AllGather, "one_shot", mesh(2));
  schedule.programs[0][0] = copy(slot(0), in());
  check_fault(schedule, mesh(2), 2, Fault::Malformed, "but this rank has only in[0/2]");
  schedule = made(Collective::ReduceScatter, "direct", mesh(2));
  schedule.programs[1].push_back(copy(out({0, 1, 2}), slot(2, {0, 1, 2})));
  check_fault(schedule, mesh(2), 2, Fault::Malformed, "but this rank has only out[1/2]");
  schedule = made(Collective::Broadcast, "flat", mesh(2));
  schedule.programs[1].push_back(copy(out(), in()));
  check_fault(schedule, mesh(2), 2, Fault::Malformed, "which this rank does not have");
}

TEST_CASE("chunks of different numbers name the same parts exactly") {
  // A third is put as 2 of 6; 65,535 chunks next to 65,534 do not overflow anything.
  Schedule schedule = made(Collective::AllGather, "one_shot", mesh(3));
  schedule.programs[0][1].sources[0] = slot(0, {0, 2, 6});
  check_sound(schedule, mesh(3), 2, Numerics::RankOrdered);
  const auto program = [](int of, int other) {
    return Program{copy(out({0, of - 1, of}), in({0, of - 1, of})),
                   copy(out({of - 1, 1, of}), in({of - 1, 1, of})), signal(other, 0), wait(0)};
  };
  Schedule fine = two_ranks(Collective::Broadcast, 1, program(65535, 1), {wait(0), signal(0, 0)});
  check_fault(fine, mesh(2), 2, Fault::Wrong, "rank 1's out holds undefined");
}

TEST_CASE("verify computes facts, extents and where a sum is complete") {
  const VerifiedSchedule two_shot =
      verify(made(Collective::AllReduce, "two_shot", mesh(4)), mesh(4));
  CHECK(two_shot.facts().depth == 1);
  CHECK(two_shot.facts().hops == 2);
  CHECK(two_shot.facts().puts == 6);
  CHECK(two_shot.facts().sent == roce::test::approx(1.5));
  CHECK_FALSE(two_shot.facts().flush_needed);
  for (int rank = 0; rank < 4; ++rank) {
    const SlotExtent staged = two_shot.extent(rank, 8);
    CHECK((staged.first == 0 && staged.count == staged.of));
    const SlotExtent unused = two_shot.extent(rank, rank);
    CHECK(unused.count == 0);
    const SlotExtent arrival = two_shot.extent(rank, (rank + 1) % 4);
    CHECK((arrival.first == rank && arrival.count == 1 && arrival.of == 4));
    const Program& program = two_shot.schedule().programs[static_cast<std::size_t>(rank)];
    for (std::size_t op = 0; op < program.size(); ++op) {
      CHECK(two_shot.completes(rank, op) == (program[op].kind == OpKind::Reduce));
    }
  }
  const VerifiedSchedule doubling =
      verify(made(Collective::AllReduce, "recursive_doubling", mesh(4)), mesh(4));
  const Program& program = doubling.schedule().programs[1];
  std::vector<bool> completing;
  for (std::size_t op = 0; op < program.size(); ++op) {
    if (program[op].kind == OpKind::Reduce) completing.push_back(doubling.completes(1, op));
  }
  CHECK(completing == std::vector<bool>{false, true});
}

TEST_CASE("verify throws with the reason") {
  CHECK_THROWS_WITH(verify(made(Collective::AllReduce, "one_shot", mesh(4)), ring(4)),
                    contains("all_reduce/one_shot") && contains("no link 0-2"));
}

// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <random>
#include <string>

#include "roce/status.hpp"
#include "src/schedule/build.hpp"
#include "src/schedule/catalog.hpp"
#include "src/schedule/print.hpp"
#include "tests/catch.hpp"
#include "tests/random_schedule.hpp"
#include "tests/schedule_interpreter.hpp"

using namespace roce::schedule;
using roce::Collective;
using roce::Numerics;
using roce::test::Interpreter;
using roce::topology::Fabric;
using roce::topology::FabricClass;

namespace {

/// The first problem in a number of random runs, alternately in place and with separate buffers.
std::string first_problem(const Schedule& schedule, int depth, Numerics numerics, int runs,
                          std::mt19937_64& random) {
  roce::test::InterpreterOptions options;
  options.depth = depth;
  options.epochs = 2 * depth + 2;
  options.rank_ordered = numerics == Numerics::RankOrdered;
  for (int run = 0; run < runs; ++run) {
    options.in_place = run % 2 == 1;
    const std::string problem = Interpreter(schedule, options, random()).run();
    if (!problem.empty()) return problem;
  }
  return {};
}

/// Small random changes to a schedule.
class Mutator {
 public:
  Mutator(Schedule& schedule, std::mt19937_64& random) : schedule_(schedule), random_(random) {}

  void mutate() {
    Program& program = schedule_.programs[below(schedule_.programs.size())];
    if (program.empty()) return;
    const std::size_t op = below(program.size());
    const std::size_t other = below(program.size());
    switch (below(9)) {
      case 0:
        program.erase(program.begin() + static_cast<std::ptrdiff_t>(op));
        return;
      case 1:
        program.insert(program.begin() + static_cast<std::ptrdiff_t>(other), program[op]);
        return;
      case 2:
        std::swap(program[op], program[other]);
        return;
      case 3:
        std::swap(program[op], program[(op + 1) % program.size()]);
        return;
      case 4:
        program[op].peer = static_cast<std::int16_t>(below(schedule_.programs.size()));
        return;
      case 5:
        change(program[op].dst);
        return;
      case 6:
        if (!program[op].sources.empty()) change(any(program[op].sources));
        return;
      case 7:
        if (!program[op].sources.empty()) {
          std::swap(any(program[op].sources), any(program[op].sources));
        }
        return;
      default:
        insert(program, op);
        return;
    }
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  Slice& any(std::vector<Slice>& slices) { return slices[below(slices.size())]; }

  void change(Slice& slice) {
    if (below(2) == 0 && schedule_.slots > 0) {
      slice.slot = static_cast<std::uint16_t>(below(schedule_.slots));
    } else if (below(2) == 0) {
      slice.first = static_cast<std::uint16_t>(below(slice.of));
    } else {
      slice.buffer = static_cast<Buffer>(below(3));
    }
  }

  void insert(Program& program, std::size_t at) {
    const int peer = static_cast<int>(below(schedule_.programs.size()));
    const int index = static_cast<int>(below(std::size_t{schedule_.slots} + 1));
    const Operation choices[] = {flush(peer), wait(index), signal(peer, index),
                                 put(peer, index, slot(index)), copy(out(), slot(index))};
    program.insert(program.begin() + static_cast<std::ptrdiff_t>(at), choices[below(5)]);
  }

  Schedule& schedule_;
  std::mt19937_64& random_;
};

Schedule random_subject(std::mt19937_64& random, Fabric& fabric) {
  const int ranks = 2 + static_cast<int>(random() % 4);
  fabric = Fabric::make(random() % 2 == 0 ? FabricClass::Ring : FabricClass::Mesh, ranks);
  for (;;) {
    if (random() % 3 == 0) {
      fabric = Fabric::make(FabricClass::Mesh, ranks);
      return roce::test::random_schedule(random, ranks, static_cast<Collective>(random() % 5));
    }
    const CatalogEntry& entry = catalog()[random() % catalog().size()];
    const auto offered = offer(entry, fabric, 0);
    if (offered) return offered->schedule();
  }
}

}  // namespace

TEST_CASE("a mutated schedule is refused, or still right in every interleaving") {
  std::mt19937_64 random(20240607);
  int refused = 0;
  int confirmed = 0;
  int survived = 0;
  for (int round = 0; round < 1500; ++round) {
    Fabric fabric = Fabric::make(FabricClass::Pair, 2);
    Schedule schedule = random_subject(random, fabric);
    for (std::uint64_t changes = 1 + random() % 2; changes > 0; --changes) {
      Mutator(schedule, random).mutate();
    }
    const int depth = 1 << random() % 2;
    const Verdict verdict = check(schedule, fabric, depth);
    if (verdict.fault == Fault::Malformed || Interpreter::grid(schedule) == 0) continue;
    const std::string problem =
        first_problem(schedule, depth, verdict.numerics, verdict.sound() ? 24 : 12, random);
    if (verdict.sound()) {
      ++survived;
      INFO(to_text(schedule));
      CAPTURE(round, depth, problem);
      CHECK(problem.empty());
    } else {
      ++refused;
      confirmed += problem.empty() ? 0 : 1;
    }
  }
  CAPTURE(refused, confirmed, survived);
  // The interpreter has teeth: it hits much of what the verifier refuses, and enough is accepted.
  CHECK(survived > 150);
  CHECK(confirmed > refused / 3);
}

TEST_CASE("the interpreter sees the races that the verifier proves") {
  std::mt19937_64 random(7);
  const Fabric mesh = Fabric::make(FabricClass::Mesh, 3);
  const Schedule one_shot = find(Collective::AllReduce, "one_shot").make(mesh, 0).value();
  CHECK_FALSE(first_problem(one_shot, 1, Numerics::Agreed, 200, random).empty());
  CHECK(first_problem(one_shot, 2, Numerics::RankOrdered, 200, random).empty());
  Schedule early = one_shot;
  for (Program& program : early.programs) {
    std::erase_if(program, [](const Operation& op) { return op.kind == OpKind::Wait; });
  }
  CHECK_FALSE(first_problem(early, 2, Numerics::Agreed, 20, random).empty());
}

TEST_CASE("random schedules verify and are right") {
  std::mt19937_64 random(42);
  int flushed = 0;
  for (int round = 0; round < 400; ++round) {
    const int ranks = 1 + round % 9;
    const auto collective = static_cast<Collective>(random() % 5);
    const Schedule schedule = roce::test::random_schedule(random, ranks, collective);
    INFO(to_text(schedule));
    const Fabric fabric = Fabric::make(FabricClass::Switch, ranks);
    const VerifiedSchedule proved = verify(schedule, fabric);
    CHECK(proved.facts().depth <= 2);
    flushed += proved.facts().flush_needed ? 1 : 0;
    if (Interpreter::grid(schedule) == 0 || ranks > 6) continue;
    const std::string problem =
        first_problem(schedule, proved.facts().depth, proved.facts().numerics, 4, random);
    CHECK(problem.empty());
  }
  CHECK(flushed > 20);
}

TEST_CASE("verifying everything up to 16 ranks takes well under 10 s, one of 8 ranks a few ms") {
  const auto seconds_since = [](std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto start = std::chrono::steady_clock::now();
  for (const CatalogEntry& entry : catalog()) {
    for (int ranks = 1; ranks <= 16; ++ranks) {
      const Fabric fabric = Fabric::make(FabricClass::Switch, ranks);
      if (const auto schedule = entry.make(fabric, 0)) CHECK_NOTHROW(verify(*schedule, fabric));
    }
  }
  CHECK(seconds_since(start) < 10);
  const Fabric ring = Fabric::make(FabricClass::Ring, 8);
  const Schedule relay = find(Collective::AllReduce, "bidirectional_relay").make(ring, 0).value();
  const auto once = std::chrono::steady_clock::now();
  CHECK(verify(relay, ring).facts().depth == 2);
  // Generous: sanitizers and busy machines are slow.
  CHECK(seconds_since(once) < 0.5);
}

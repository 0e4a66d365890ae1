// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "src/schedule/catalog.hpp"
#include "src/schedule/verifier.hpp"
#include "tests/catch.hpp"
#include "tests/random_schedule.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/executor_group.hpp"
#include "tests/support/sanitizers.hpp"

using namespace roce;
using namespace roce::tests;

namespace {

constexpr int seeds = sanitized ? 25 : 150;

topology::Fabric mesh(int ranks) {
  return topology::Fabric::make(topology::FabricClass::Mesh, ranks);
}

/// Operations of mixed sizes, types and operators for one schedule, in an order of no meaning.
std::vector<CollectiveCase> random_cases(const schedule::VerifiedSchedule& schedule,
                                         std::size_t how_many, std::mt19937_64& random) {
  constexpr std::size_t counts[] = {0, 1, 2, 3, 7, 31, 64, 65, 200, 511, 1500};
  std::vector<CollectiveCase> cases(how_many);
  for (CollectiveCase& what : cases) {
    const schedule::Schedule& plain = schedule.schedule();
    what.spec = {plain.collective,
                 counts[random() % std::size(counts)],
                 static_cast<DataType>(random() % data_type_count),
                 static_cast<ReduceOp::Kind>(random() % reduce_op_count),
                 plain.root,
                 plain.name};
    if (plain.collective == Collective::Barrier) what.spec.count = 0;
    what.ranks = plain.ranks;
    what.numerics = schedule.facts().numerics;
    what.misalignment = random() % 64;
    what.seed = random() % 1000;
  }
  return cases;
}

ExecutorOptions random_options(int ranks, std::mt19937_64& random) {
  ExecutorOptions options;
  options.seed = random();
  const auto granule = static_cast<std::size_t>(ranks) * transport::cache_line;
  const std::size_t limits[] = {0, 1, granule, 3 * granule, 4096};
  options.segment_limit = limits[random() % std::size(limits)];
  options.in_flight = 1 + random() % 6;
  return options;
}

void run_random_schedules(bool chaos) {
  for (int seed = 0; seed < seeds; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed) * 2 + (chaos ? 1 : 0));
    const int ranks = 1 + static_cast<int>(random() % 6);
    const auto collective = static_cast<Collective>(random() % collective_count);
    const auto verified =
        schedule::verify(test::random_schedule(random, ranks, collective), mesh(ranks));
    const auto cases = random_cases(verified, 30, random);
    ExecutorOptions options = random_options(ranks, random);
    options.chaos = chaos;
    INFO("seed " << seed);
    REQUIRE_NOTHROW(run_on_executors(verified, cases, options));
  }
}

}  // namespace

TEST_CASE("random schedules give right results over shared memory") { run_random_schedules(false); }

TEST_CASE("random schedules give right results when puts land late and in any order") {
  run_random_schedules(true);
}

TEST_CASE("epochs run on through 2^32 and 2^64") {
  const transport::Flag starts[] = {(transport::Flag{1} << 32U) - 32, transport::Flag{0} - 32};
  for (const schedule::CatalogEntry& entry : schedule::catalog()) {
    for (const int ranks : {2, 5}) {
      const auto offered = schedule::offer(entry, mesh(ranks), 0);
      if (!offered) continue;
      for (const transport::Flag start : starts) {
        for (const bool chaos : {false, true}) {
          std::mt19937_64 random(start);
          const auto cases = random_cases(*offered, 80, random);
          ExecutorOptions options = random_options(ranks, random);
          options.chaos = chaos;
          options.first_epoch = start;
          INFO(to_string(entry.collective) << "/" << entry.name << " of " << ranks << " from "
                                           << start << (chaos ? " with chaos" : ""));
          REQUIRE_NOTHROW(run_on_executors(*offered, cases, options));
        }
      }
    }
  }
}

TEST_CASE("a rank may leave while what it passes on is still under way") {
  constexpr int ranks = 5;
  constexpr std::size_t count = 40;  // striped, so passed on from where it was put together
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Config config = test_config();
    config.transport = TransportKind::ShmChaos;
    config.chaos_seed = seed;
    std::array<std::int32_t, ranks> sums{};
    with_communicators(ranks, config, [&](Communicator& communicator) {
      std::vector<std::int32_t> data(count, communicator.rank() + 1);
      Plan plan = communicator.plan(
          {Collective::AllReduce, count, DataType::Int32, {}, 0, "bidirectional_relay"});
      plan.run(data.data(), data.data()).throw_if_failed();
      const bool alike = std::count(data.begin(), data.end(), data[0]) == count;
      sums[static_cast<std::size_t>(communicator.rank())] = alike ? data[0] : -1;
    });
    INFO("seed " << seed);
    for (const std::int32_t sum : sums) REQUIRE(sum == ranks * (ranks + 1) / 2);
  }
}

TEST_CASE("every schedule of the catalog is right when puts land late and in any order") {
  for (const int ranks : {2, 3, 4, 5, 8}) {
    for (std::uint64_t seed = 1; seed <= (sanitized ? 1U : 2U); ++seed) {
      Config config = test_config();
      config.transport = TransportKind::ShmChaos;
      config.chaos_seed = seed;
      config.segment = 2048;
      Coverage coverage;
      coverage.segment_bytes = 2048;
      coverage.seed = seed * 100 + static_cast<std::uint64_t>(ranks);
      INFO(ranks << " ranks, seed " << seed);
      CHECK_NOTHROW(run_cases(config, ranks, catalog_cases(ranks, coverage)));
    }
  }
}

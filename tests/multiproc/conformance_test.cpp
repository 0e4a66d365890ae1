// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <random>
#include <stdexcept>
#include <vector>

#include "src/reduce/fold.hpp"
#include "src/schedule/catalog.hpp"
#include "tests/catch.hpp"
#include "tests/ranks.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/sanitizers.hpp"

using namespace roce;
using namespace roce::tests;

namespace {

std::vector<schedule::VerifiedSchedule> schedules_of(Collective collective, int ranks) {
  const auto fabric = topology::Fabric::make(topology::FabricClass::Switch, ranks);
  std::vector<schedule::VerifiedSchedule> found;
  for (const schedule::CatalogEntry& entry : schedule::catalog()) {
    if (entry.collective != collective) continue;
    if (auto offered = schedule::offer(entry, fabric, 0)) found.push_back(*offered);
  }
  return found;
}

/// The all-reduced sum of one value a rank, which must be the same on all ranks.
double sum_of(const std::vector<double>& values, DataType type, const std::string& schedule) {
  const auto ranks = static_cast<int>(values.size());
  std::vector<double> sums(values.size());
  with_communicators(ranks, test_config(), [&](Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    reduce::from_double(type, values[rank], &in);
    Plan plan = communicator.plan({Collective::AllReduce, 1, type, {}, 0, schedule});
    plan.run(&in, &out).throw_if_failed();
    sums[rank] = reduce::to_double(type, &out);
  });
  for (const double sum : sums) CHECK(sum == sums[0]);
  return sums[0];
}

}  // namespace

TEST_CASE("every schedule gives every type and operator the right bits, in short segments") {
  Config config = test_config();
  config.segment = 4096;
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    Coverage coverage;
    coverage.rounds = sanitized ? 1 : 2;
    coverage.seed = static_cast<std::uint64_t>(ranks);
    INFO(ranks << " ranks");
    CHECK_NOTHROW(run_cases(config, ranks, catalog_cases(ranks, coverage)));
  }
}

TEST_CASE("every schedule works with as many ranks as the verifier is used for") {
  Config config = test_config();
  config.segment = 2048;
  Coverage coverage;
  coverage.segment_bytes = 2048;
  std::vector<CollectiveCase> cases = catalog_cases(16, coverage);
  if (sanitized) std::erase_if(cases, [](const auto& what) { return what.seed % 3 != 0; });
  CHECK_NOTHROW(run_cases(config, 16, cases));
}

TEST_CASE("every schedule carries messages of several segments of the usual size") {
  for (const int ranks : {2, 3, 4, 8}) {
    std::vector<CollectiveCase> cases;
    for (CollectiveCase what : catalog_cases(ranks, {})) {
      const DataType type = what.spec.type;
      if (type != DataType::Float32 && type != DataType::BFloat16) continue;
      if (what.spec.op.kind() != ReduceOp::Kind::Sum) continue;
      what.spec.count = (sanitized ? 150'000U : 600'000U) / what.element() + 5;
      cases.push_back(what);
    }
    INFO(ranks << " ranks");
    CHECK_NOTHROW(run_cases(test_config(), ranks, cases));
  }
}

TEST_CASE("no rank leaves a barrier before all have come") {
  for (const int ranks : {1, 2, 3, 5, 8, 9}) {
    for (const auto& schedule : schedules_of(Collective::Barrier, ranks)) {
      constexpr int rounds = 200;
      std::vector<std::atomic<int>> came(rounds);
      with_communicators(ranks, test_config(), [&](Communicator& communicator) {
        std::mt19937 random(static_cast<unsigned>(communicator.rank()));
        Plan plan = communicator.plan(
            {Collective::Barrier, 0, DataType::Uint8, {}, 0, schedule.schedule().name});
        for (auto& count : came) {
          if (random() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
          // Relaxed: the barrier itself must make it visible.
          count.fetch_add(1, std::memory_order_relaxed);
          plan.run(nullptr, nullptr).throw_if_failed();
          if (count.load(std::memory_order_relaxed) == ranks) continue;
          throw std::runtime_error(schedule.schedule().name + " was left too early");
        }
      });
    }
  }
}

TEST_CASE("sums that depend on order and rounding come out as documented") {
  for (const auto& schedule : schedules_of(Collective::AllReduce, 4)) {
    if (schedule.facts().numerics != Numerics::RankOrdered) continue;
    const std::string& name = schedule.schedule().name;
    INFO(name);
    CHECK(sum_of({1e8, 1, -1e8, 1}, DataType::Float32, name) == 1.0);
    CHECK(sum_of({256, 1, 1, 1}, DataType::BFloat16, name) == 260);
    CHECK(sum_of({65536, 200, 200, 200}, DataType::BFloat16, name) == 66048);
  }
  CHECK(sum_of({1e8, 1, -1e8, 1}, DataType::Float32, "") == 1.0);
}

TEST_CASE("an element's bits depend neither on the count nor on the rank-ordered schedule") {
  constexpr std::size_t most = 70'001;
  for (const int ranks : {3, 4, 7}) {
    std::vector<std::vector<float>> inputs;
    for (int rank = 0; rank < ranks; ++rank) {
      std::mt19937 random(static_cast<unsigned>(rank + 1));
      std::normal_distribution<float> normal(0, 1e3F);
      inputs.emplace_back(most);
      for (float& value : inputs.back()) value = normal(random) * normal(random);
    }
    std::vector<float> expected = inputs[0];
    for (std::size_t rank = 1; rank < inputs.size(); ++rank) {
      for (std::size_t i = 0; i < most; ++i) expected[i] += inputs[rank][i];
    }
    with_communicators(ranks, test_config(), [&](Communicator& communicator) {
      const auto& in = inputs[static_cast<std::size_t>(communicator.rank())];
      for (const auto& schedule : schedules_of(Collective::AllReduce, ranks)) {
        if (schedule.facts().numerics != Numerics::RankOrdered) continue;
        for (const std::size_t count : {std::size_t{1}, std::size_t{5}, std::size_t{1021}, most}) {
          std::vector<float> out(count);
          Plan plan = communicator.plan(
              {Collective::AllReduce, count, DataType::Float32, {}, 0, schedule.schedule().name});
          plan.run(in.data(), out.data()).throw_if_failed();
          if (std::equal(out.begin(), out.end(), expected.begin())) continue;
          throw std::runtime_error(
              fmt::format("{} elements by {} differ", count, schedule.schedule().name));
        }
      }
    });
  }
}

TEST_CASE("blocking calls choose a schedule for every type and size") {
  for (const int ranks : {2, 3, 8}) {
    with_communicators(ranks, test_config(), [&](Communicator& communicator) {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const auto n = static_cast<std::size_t>(ranks);
      for (const std::size_t count : {1U, 100U, 5000U, 40'000U}) {
        std::vector<std::int32_t> in(count * n, static_cast<std::int32_t>(rank + 1));
        std::vector<std::int32_t> out(count * n, -1);
        const auto all = [](const auto& values, std::size_t first, std::size_t many, int value) {
          for (std::size_t i = first; i < first + many; ++i) {
            if (values[i] != value) throw std::runtime_error("a wrong result");
          }
        };
        const auto sum = static_cast<int>(n * (n + 1) / 2);
        communicator.all_reduce(in.data(), out.data(), count, DataType::Int32).throw_if_failed();
        all(out, 0, count, sum);
        communicator
            .reduce_scatter(in.data(), out.data(), count, DataType::Int32, ReduceOp::Kind::Max)
            .throw_if_failed();
        all(out, 0, count, ranks);
        communicator.all_gather(in.data(), out.data(), count, DataType::Int32).throw_if_failed();
        for (std::size_t r = 0; r < n; ++r) all(out, r * count, count, static_cast<int>(r + 1));
        for (int root = 0; root < ranks; ++root) {
          const void* source = communicator.rank() == root ? in.data() : nullptr;
          communicator.broadcast(source, out.data(), count, DataType::Int32, root)
              .throw_if_failed();
          all(out, 0, count, root + 1);
        }
        communicator.barrier().throw_if_failed();
      }
    });
  }
}

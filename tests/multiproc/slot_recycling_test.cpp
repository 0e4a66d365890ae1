// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <latch>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"
#include "tests/multiproc/rank_states.hpp"
#include "tests/ranks.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/sanitizers.hpp"

using namespace roce;
using namespace roce::tests;
using namespace std::chrono_literals;

namespace {

/// So little slot memory that a handful of schedules use it up.
Config scarce(int ranks) {
  Config config = test_config();
  config.slot_memory = static_cast<std::size_t>(ranks) * (ranks < 5 ? 16 : 32) * 1024;
  return config;
}

/// Takes ever new lanes until the slot memory has been used up several times; `calls` counts.
Status use_up(Communicator& communicator, std::atomic<int>& calls, int most) {
  Status status;
  while (status.ok() && calls < most) {
    const int root = calls % communicator.size();
    int value = root == communicator.rank() ? calls.load() : -1;
    CollectiveSpec spec{Collective::Broadcast, 1, DataType::Int32, {}, root, {}};
    constexpr const char* schedules[] = {"flat", "binomial", "chain"};
    spec.schedule = schedules[calls / communicator.size() % 3];
    try {
      Plan plan = communicator.plan(spec);
      status = plan.run(&value, &value);
    } catch (const Error& error) {
      if (communicator.status().ok()) throw;
      return communicator.status();
    }
    if (status.ok() && value != calls) throw std::runtime_error("a wrong value was broadcast");
    if (status.ok()) ++calls;
  }
  return status;
}

}  // namespace

TEST_CASE("results stay right while the slot memory is shared out anew again and again") {
  for (const int ranks : {2, 3, 5, 8}) {
    for (const TransportKind transport : {TransportKind::Shm, TransportKind::ShmChaos}) {
      Config config = scarce(ranks);
      config.transport = transport;
      Coverage coverage;
      coverage.segment_bytes = 1024;
      std::vector<CollectiveCase> cases = catalog_cases(ranks, coverage);
      std::mt19937 random(static_cast<unsigned>(ranks));
      std::shuffle(cases.begin(), cases.end(), random);
      cases.resize(std::min<std::size_t>(cases.size(), sanitized ? 100 : 250));
      INFO(ranks << " ranks, " << to_string(transport));
      CHECK_NOTHROW(run_cases(config, ranks, cases));
    }
  }
}

TEST_CASE("plans made before slots were shared out anew still work, and those in flight end") {
  constexpr int ranks = 3;
  with_communicators(ranks, scarce(ranks), [&](Communicator& communicator) {
    const auto expect = [](bool right) {
      if (!right) throw std::runtime_error("a wrong result");
    };
    Plan early = communicator.plan({Collective::AllReduce, 1, DataType::Int32, {}, 0, "one_shot"});
    std::atomic<int> calls{0};
    for (int round = 0; round < 20; ++round) {
      int sum = round;
      early.start(&sum, &sum).throw_if_failed();
      use_up(communicator, calls, 9 * (round + 1)).throw_if_failed();
      early.wait().throw_if_failed();
      expect(sum == ranks * round);
      int again = 1;
      early.run(&again, &again).throw_if_failed();
      expect(again == ranks);
    }
  });
}

TEST_CASE("a schedule that does not fit even alone is refused on all ranks, and others go on") {
  constexpr int ranks = 8;
  Config config = test_config();
  config.slot_memory = ranks * 4096;
  std::atomic<int> refused{0};
  with_communicators(ranks, config, [&](Communicator& communicator) {
    CollectiveSpec spec{Collective::AllReduce, 100, DataType::Float32, {}, 0, "one_shot"};
    try {
      Plan plan = communicator.plan(spec);
    } catch (const Error& error) {
      const std::string text = error.what();
      if (error.code() == ErrorCode::Unsupported &&
          text.find("ROCE_SLOT_MEMORY") != std::string::npos) {
        ++refused;
      }
    }
    std::vector<float> data(100);
    const Status status = communicator.all_reduce(data.data(), data.data(), 100, DataType::Float32);
    if (status.code() == ErrorCode::Unsupported) ++refused;
    communicator.barrier().throw_if_failed();
  });
  CHECK(refused == 2 * ranks);
}

TEST_CASE("the slot memory that a refusal asks for is enough") {
  constexpr int ranks = 3;
  Config config = test_config();
  config.slot_memory = ranks * 4096;
  CollectiveSpec spec{Collective::AllReduce, 100, DataType::Int32, {}, 0, "recursive_doubling"};
  std::atomic<std::size_t> asked{0};
  with_communicators(ranks, config, [&](Communicator& communicator) {
    try {
      Plan plan = communicator.plan(spec);
    } catch (const Error& error) {
      const std::string text = error.what();
      constexpr std::string_view before = "ROCE_SLOT_MEMORY to ";
      asked = std::stoul(text.substr(text.find(before) + before.size()));
    }
  });
  CHECK(asked > config.slot_memory);
  config.slot_memory = asked;
  with_communicators(ranks, config, [&](Communicator& communicator) {
    std::vector<std::int32_t> data(100, 1);
    Plan plan = communicator.plan(spec);
    plan.run(data.data(), data.data()).throw_if_failed();
    communicator.barrier().throw_if_failed();
  });
}

TEST_CASE("a rank that is missing while slots are shared out anew is named like any other") {
  constexpr int ranks = 4;
  constexpr int silent = 2;
  // Where the silent rank stops decides whether a recycling or a collective misses it.
  for (int stop = 10; stop < 40; stop += 3) {
    RankStates states(ranks);
    std::latch others(ranks - 1);
    Config config = scarce(ranks);
    config.timeout = 200ms;
    with_communicators(ranks, config, [&](Communicator& communicator) {
      RankState& state = states[communicator.rank()];
      const bool is_silent = communicator.rank() == silent;
      // Of the others some notice only in a later call.
      state.note(use_up(communicator, state.rounds, is_silent ? stop : 1000));
      if (!is_silent) others.count_down();
      others.wait();
    });
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank == silent) continue;
      INFO("stopped after " << stop << ", rank " << rank << ": " << states[rank].text());
      CHECK(states[rank].code == ErrorCode::Timeout);
      CHECK(states[rank].culprit == silent);
    }
  }
}

TEST_CASE("an abort ends also the wait for slots to be shared out anew") {
  constexpr int ranks = 3;
  RankStates states(ranks);
  std::latch others(ranks - 1);
  with_communicators(ranks, scarce(ranks), [&](Communicator& communicator) {
    const int rank = communicator.rank();
    std::jthread aborter;
    if (rank == 0) {
      static_cast<void>(use_up(communicator, states[rank].rounds, 7));
      others.wait();
      return;
    }
    if (rank == 1) {
      aborter = std::jthread([&] {
        std::this_thread::sleep_for(300ms);
        communicator.abort();
      });
    }
    states[rank].note(use_up(communicator, states[rank].rounds, 1000));
    others.count_down();
  });
  for (const int rank : {1, 2}) {
    INFO(states[rank].text());
    CHECK(states[rank].code == ErrorCode::Aborted);
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <latch>
#include <vector>

#include "tests/catch.hpp"
#include "tests/multiproc/rank_states.hpp"
#include "tests/multiproc/stall_meter.hpp"
#include "tests/ranks.hpp"

using namespace roce;
using namespace roce::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

Config with_timeout(std::chrono::milliseconds timeout) {
  Config config = test_config();
  config.timeout = timeout;
  return config;
}

struct Case {
  Collective collective;
  const char* schedule;
};

/// Schedules in which every rank needs every other one, directly or not.
constexpr Case cases[] = {
    {Collective::AllReduce, "one_shot"},
    {Collective::AllReduce, "two_shot"},
    {Collective::AllReduce, "recursive_doubling"},
    {Collective::AllReduce, "bidirectional_ring"},
    {Collective::AllReduce, "bidirectional_relay"},
    {Collective::AllGather, "bruck"},
    {Collective::AllGather, "bidirectional_relay"},
    {Collective::ReduceScatter, "bidirectional_ring"},
    {Collective::Barrier, "dissemination"},
    {Collective::Barrier, "bidirectional_relay"},
};

std::size_t open_descriptors() {
  const auto entries = std::filesystem::directory_iterator("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

/// Every rank does 5 rounds, then all but `silent` go on; it stays, and calls again at the end.
void fall_silent(const Case& what, int ranks, int silent, const Config& config,
                 RankStates& states) {
  std::latch others(ranks - 1);
  with_communicators(ranks, config, [&](Communicator& communicator) {
    const int rank = communicator.rank();
    Repeated repeated(what.collective, what.schedule, ranks);
    if (rank != silent) {
      repeated.run(communicator, states[rank], endless);
      others.count_down();
      others.wait();
    } else {
      repeated.run(communicator, states[rank], 5);
      others.wait();
      repeated.run(communicator, states[rank], endless);
    }
  });
}

}  // namespace

TEST_CASE("a rank that does not call is named by all that wait, directly or not") {
  constexpr auto timeout = 800ms;
  for (const Case& what : cases) {
    for (const int silent : {0, 3}) {
      constexpr int ranks = 6;
      RankStates states(ranks);
      const StallMeter stalls;
      const auto began = Clock::now();
      fall_silent(what, ranks, silent, with_timeout(timeout), states);
      for (int rank = 0; rank < ranks; ++rank) {
        INFO(to_string(what.collective) << "/" << what.schedule << " without rank " << silent
                                        << ", rank " << rank << ": " << states[rank].text());
        CHECK(states[rank].code == ErrorCode::Timeout);
        if (rank == silent) continue;
        CHECK(states[rank].rounds <= 6);
        CHECK(states[rank].culprit == silent);
        CHECK_THAT(states[rank].message.str(), Contains("rank " + std::to_string(silent)));
        CHECK(states[rank].ended_at - began < timeout + 3s + stalls.lost());
      }
    }
  }
}

TEST_CASE("the silent rank is found though the others began to wait at different times") {
  constexpr auto timeout = 1s;
  for (const char* schedule : {"bidirectional_ring", "bidirectional_relay", "one_shot"}) {
    constexpr int ranks = 6;
    constexpr int silent = 3;
    RankStates states(ranks);
    std::latch others(ranks - 1);
    const StallMeter stalls;
    Clock::time_point first_waits;
    with_communicators(ranks, with_timeout(timeout), [&](Communicator& communicator) {
      const int rank = communicator.rank();
      Repeated repeated(Collective::AllReduce, schedule, ranks);
      if (rank != silent) {
        std::this_thread::sleep_for(rank * 60ms);
        if (rank == 0) first_waits = Clock::now();
        repeated.run(communicator, states[rank], endless);
        others.count_down();
      }
      others.wait();
    });
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank == silent) continue;
      INFO(schedule << ", rank " << rank << ": " << states[rank].text());
      CHECK(states[rank].code == ErrorCode::Timeout);
      CHECK(states[rank].culprit == silent);
      CHECK(states[rank].ended_at - first_waits < timeout + 1s + stalls.lost());
    }
  }
}

TEST_CASE("a failure says who waited for whom, in what, and what to do") {
  constexpr int ranks = 2;
  RankStates states(ranks);
  fall_silent({Collective::AllReduce, "one_shot"}, ranks, 1, with_timeout(300ms), states);
  RankState& state = states[0];
  INFO(state.text());
  CHECK(state.schedule.str() == "all_reduce/one_shot");
  CHECK_THAT(state.operation.str(), Contains("wait(slot 1)"));
  for (const char* part : {"rank 0", "rank 1", "all_reduce/one_shot", "shm", "wait(slot 1)",
                           "check that rank 1 is alive", "ROCE_TIMEOUT"}) {
    CHECK_THAT(state.message.str(), Contains(part));
  }
}

TEST_CASE("a rank that leaves early is named at once by those that need it") {
  for (const Case& what : cases) {
    constexpr int ranks = 5;
    constexpr int leaver = 2;
    RankStates states(ranks);
    const StallMeter stalls;
    const auto began = Clock::now();
    with_communicators(ranks, with_timeout(20s), [&](Communicator& communicator) {
      const int rank = communicator.rank();
      Repeated(what.collective, what.schedule, ranks)
          .run(communicator, states[rank], rank == leaver ? 5 : endless);
    });
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank == leaver) continue;
      INFO(to_string(what.collective)
           << "/" << what.schedule << ", rank " << rank << ": " << states[rank].text());
      CHECK(states[rank].code == ErrorCode::PeerFailed);
      CHECK(states[rank].culprit == leaver);
      CHECK(states[rank].ended_at - began < 10s + stalls.lost());
    }
  }
}

TEST_CASE("a rank that has done its part may leave while others still wait for a third") {
  constexpr int ranks = 4;
  RankStates states(ranks);
  with_communicators(ranks, with_timeout(20s), [&](Communicator& communicator) {
    const int rank = communicator.rank();
    Repeated repeated(Collective::Broadcast, "flat", ranks);
    repeated.run(communicator, states[rank], 3);
    if (rank == 1) std::this_thread::sleep_for(300ms);
    repeated.run(communicator, states[rank], 4);
  });
  for (int rank = 0; rank < ranks; ++rank) {
    INFO("rank " << rank << ": " << states[rank].text());
    CHECK(states[rank].code == ErrorCode::Ok);
    CHECK(states[rank].rounds == 4);
  }
}

TEST_CASE("abort from another thread ends all waits, here and on the peers") {
  constexpr int ranks = 4;
  RankStates states(ranks);
  std::latch others(ranks - 1);
  const StallMeter stalls;
  std::atomic<Clock::time_point> aborted_at{};
  with_communicators(ranks, with_timeout(20s), [&](Communicator& communicator) {
    const int rank = communicator.rank();
    if (rank == 0) {
      // Never calls before the abort; its own call afterwards learns of it.
      others.wait();
    }
    std::jthread aborter;
    if (rank == 2) {
      aborter = std::jthread([&] {
        std::this_thread::sleep_for(200ms);
        aborted_at = Clock::now();
        communicator.abort("the user pressed stop");
        communicator.abort("twice does no harm");
      });
    }
    Repeated(Collective::AllReduce, "one_shot", ranks).run(communicator, states[rank], endless);
    if (rank != 0) others.count_down();
    others.wait();
  });
  for (int rank = 0; rank < ranks; ++rank) {
    INFO("rank " << rank << ": " << states[rank].text());
    CHECK(states[rank].code == ErrorCode::Aborted);
    CHECK(states[rank].culprit == 2);
    CHECK_THAT(states[rank].message.str(), Contains("rank 2") && Contains("pressed stop"));
    CHECK(states[rank].ended_at - aborted_at.load() < 2s + stalls.lost());
  }
}

TEST_CASE("after a failure every call says the same again") {
  constexpr int ranks = 3;
  RankStates states(ranks);
  std::vector<std::string> problems(ranks);
  std::latch others(ranks - 1);
  with_communicators(ranks, with_timeout(300ms), [&](Communicator& communicator) {
    const int rank = communicator.rank();
    if (rank == 1) return others.wait();
    std::vector<float> data(10);
    Plan plan = communicator.plan({Collective::AllReduce, 10, DataType::Float32, {}, 0, {}});
    Plan second = communicator.plan({Collective::AllGather, 2, DataType::Float32, {}, 0, {}});
    Plan in_flight = communicator.plan({Collective::Barrier, 0, DataType::Int8, {}, 0, {}});
    in_flight.start(nullptr, nullptr).throw_if_failed();
    states[rank].note(plan.run(data.data(), data.data()));
    const Failure* const failure = communicator.status().failure();
    const auto same = [&](const Status& status, const char* call) {
      if (status.failure() != failure || failure == nullptr) problems[rank] += call;
    };
    same(plan.run(data.data(), data.data()), "run ");
    same(plan.start(data.data(), data.data()), "start ");
    same(plan.wait(), "wait ");
    same(plan.test().value_or(Status()), "test ");
    same(second.run(data.data(), data.data() + 2), "another plan ");
    same(in_flight.test().value_or(Status()), "test of the other in flight ");
    same(in_flight.wait(), "wait for the other in flight ");
    same(communicator.all_reduce(data.data(), data.data(), 10, DataType::Float32), "all_reduce ");
    same(communicator.broadcast(data.data(), data.data(), 7, DataType::Uint8, 0), "broadcast ");
    same(communicator.barrier(), "barrier ");
    try {
      static_cast<void>(communicator.plan({Collective::AllReduce, 11, {}, {}, 0, {}}));
      problems[rank] += "plan ";
    } catch (const Error& error) {
      if (error.what() != failure->message) problems[rank] += "plan says otherwise ";
    }
    others.count_down();
  });
  for (const int rank : {0, 2}) {
    CHECK(states[rank].code == ErrorCode::Timeout);
    CHECK(problems[static_cast<std::size_t>(rank)].empty());
  }
}

TEST_CASE("a communicator shrinks after a rank left and after a timeout, even repeatedly") {
  constexpr int ranks = 4;
  std::vector<int> sums(ranks);
  with_communicators(ranks, with_timeout(400ms), [&](Communicator& communicator) {
    const int rank = communicator.rank();
    int value = 1;
    communicator.all_reduce(&value, &value, 1, DataType::Int32).throw_if_failed();
    if (rank == 1) return;
    if (communicator.all_reduce(&value, &value, 1, DataType::Int32).ok()) return;
    Communicator three = communicator.shrink(std::vector<int>{0, 2, 3});
    value = 10;
    three.all_reduce(&value, &value, 1, DataType::Int32).throw_if_failed();
    // Its rank 1 is silent now, but does not leave.
    if (three.rank() != 1 && three.barrier().ok()) return;
    if (three.rank() == 1) {
      std::this_thread::sleep_for(1s);
      sums[rank] = value;
      return;
    }
    Communicator two = three.shrink(std::vector<int>{0, 2});
    two.all_reduce(&value, &value, 1, DataType::Int32).throw_if_failed();
    sums[rank] = value;
  });
  CHECK(sums == std::vector<int>{60, 0, 30, 60});
}

TEST_CASE("a healthy communicator shrinks, too, and is of no use afterwards") {
  constexpr int ranks = 3;
  std::vector<int> sums(ranks);
  with_communicators(ranks, with_timeout(20s), [&](Communicator& communicator) {
    const int rank = communicator.rank();
    int value = 1;
    communicator.all_reduce(&value, &value, 1, DataType::Int32).throw_if_failed();
    if (rank == 2) return;
    Communicator two = communicator.shrink(std::vector<int>{0, 1});
    two.all_reduce(&value, &value, 1, DataType::Int32).throw_if_failed();
    if (communicator.barrier().code() == ErrorCode::Aborted) sums[rank] = value;
  });
  CHECK(sums == std::vector<int>{6, 6, 0});
}

TEST_CASE("a caller that only tests learns of the deadline and of a rank that left") {
  for (const bool leaves : {false, true}) {
    constexpr int ranks = 3;
    RankStates states(ranks);
    std::latch others(ranks - 1);
    with_communicators(ranks, with_timeout(500ms), [&](Communicator& communicator) {
      const int rank = communicator.rank();
      if (rank == 0) {
        if (!leaves) others.wait();
        return;
      }
      Plan plan = communicator.plan({Collective::Barrier, 0, DataType::Int8, {}, 0, {}});
      plan.start(nullptr, nullptr).throw_if_failed();
      std::optional<Status> status;
      while (!(status = plan.test())) std::this_thread::sleep_for(1ms);
      states[rank].note(*status);
      others.count_down();
    });
    for (const int rank : {1, 2}) {
      INFO(states[rank].text());
      CHECK(states[rank].code == (leaves ? ErrorCode::PeerFailed : ErrorCode::Timeout));
      CHECK(states[rank].culprit == 0);
    }
  }
}

TEST_CASE("new communicators work in the same process after failures, and nothing leaks") {
  const auto round = [] {
    RankStates states(3);
    fall_silent({Collective::AllReduce, ""}, 3, 0, with_timeout(150ms), states);
    RankStates after(3);
    with_communicators(3, with_timeout(20s), [&](Communicator& communicator) {
      Repeated(Collective::AllReduce, "", 3).run(communicator, after[communicator.rank()], 20);
    });
    for (int rank = 0; rank < 3; ++rank) {
      CHECK(states[rank].code == ErrorCode::Timeout);
      CHECK(after[rank].code == ErrorCode::Ok);
    }
  };
  round();
  const std::size_t descriptors = open_descriptors();
  for (int i = 0; i < 3; ++i) round();
  CHECK(open_descriptors() == descriptors);
}

TEST_CASE("settings that must agree are compared, and the ranks named") {
  const auto messages = [](const std::function<void(Config&, int)>& change) {
    const UniqueId id = UniqueId::generate("127.0.0.1");
    std::vector<std::string> texts(3);
    on_threads(3, [&](int rank) {
      Config config = test_config();
      change(config, rank);
      try {
        Communicator communicator(make_tcp_bootstrap(id, rank, 3, 10s), config);
      } catch (const Error& error) {
        if (error.code() == ErrorCode::Mismatch)
          texts[static_cast<std::size_t>(rank)] = error.what();
      }
    });
    return texts;
  };
  const std::vector<std::function<void(Config&, int)>> changes{
      [](Config& config, int rank) { config.slot_memory >>= rank == 2 ? 1 : 0; },
      [](Config& config, int rank) { config.segment = rank == 2 ? 8192 : 0; },
      [](Config& config, int rank) {
        if (rank == 2) config.transport = TransportKind::ShmChaos;
      },
      [](Config& config, int rank) {
        if (rank == 2) config.numerics = Numerics::RankOrdered;
      },
      [](Config& config, int rank) { config.schedule = rank == 2 ? "one_shot" : ""; },
  };
  for (const auto& change : changes) {
    for (const std::string& text : messages(change)) {
      CHECK_THAT(text, Contains("ranks 0 and 2"));
      CHECK_THAT(text, Contains("ROCE_"));
    }
  }
}

TEST_CASE("slot memory that is not to be had is an error on all ranks") {
  Config config = test_config();
  config.slot_memory = std::size_t{1} << 52;
  const UniqueId id = UniqueId::generate("127.0.0.1");
  std::vector<std::string> texts(2);
  on_threads(2, [&](int rank) {
    try {
      Communicator communicator(make_tcp_bootstrap(id, rank, 2, 10s), config);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Resource) texts[static_cast<std::size_t>(rank)] = error.what();
    }
  });
  for (const std::string& text : texts) {
    CHECK_THAT(text, Contains("rank 0") && Contains("ROCE_SLOT_MEMORY"));
  }
}

TEST_CASE("shared memory between different hosts is refused") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  std::vector<std::string> texts(2);
  on_threads(2, [&](int rank) {
    Config config = test_config();
    config.transport = TransportKind::Shm;
    config.host_id = rank == 0 ? "here" : "th\xffre";  // not even valid UTF-8
    try {
      Communicator communicator(make_tcp_bootstrap(id, rank, 2, 10s), config);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Unsupported) {
        texts[static_cast<std::size_t>(rank)] = error.what();
      }
    }
  });
  for (const std::string& text : texts) CHECK_THAT(text, Contains("host here"));
}

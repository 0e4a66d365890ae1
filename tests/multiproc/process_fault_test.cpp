// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <memory>
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

/// Forked ranks with a communicator each.
class ProcessGroup {
 public:
  using Body = std::function<void(Communicator&, RankState&)>;

  ProcessGroup(int ranks, const Config& config, const Body& body) : states_(ranks) {
    const UniqueId id = UniqueId::generate("127.0.0.1");
    for (int rank = 0; rank < ranks; ++rank) {
      processes_.emplace_back(rank, [&](int me) {
        Communicator communicator(make_tcp_bootstrap(id, me, ranks, config.connect_timeout),
                                  config);
        body(communicator, states_[me]);
        return 0;
      });
    }
  }
  RankStates& states() { return states_; }
  test::RankProcess& operator[](int rank) { return processes_[static_cast<std::size_t>(rank)]; }

 private:
  RankStates states_;
  std::vector<test::RankProcess> processes_;
};

Config patient() {
  Config config = test_config();
  config.timeout = 15s;
  return config;
}

/// Shared memory of the library that still has a name, of one process.
std::vector<std::string> shared_memories(pid_t process) {
  const std::string prefix = "roce-" + std::to_string(process) + "-";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix)) names.push_back(name);
  }
  return names;
}

/// Hits a rank with `signal`; the others must name it with `code` after at most `most`.
void strike(ProcessGroup& group, int victim, int signal, Clock::duration most, ErrorCode code) {
  const StallMeter stalls;
  const auto since = Clock::now();
  group[victim].send(signal);
  RankStates& states = group.states();
  REQUIRE(all_end(states, victim));
  for (int rank = 0; rank < states.size(); ++rank) {
    if (rank == victim) continue;
    RankState& state = states[rank];
    INFO("rank " << rank << ": " << state.text());
    CHECK(state.code == code);
    CHECK(state.culprit == victim);
    CHECK_THAT(state.message.str(), Contains("rank " + std::to_string(victim)));
    CHECK(state.ended_at - since < most + stalls.lost());
    CHECK(group[rank].wait() == 0);
  }
}

}  // namespace

TEST_CASE("a killed rank is named by all others, long before the deadline") {
  for (const char* schedule : {"one_shot", "two_shot", "recursive_doubling", "bidirectional_ring",
                               "bidirectional_relay"}) {
    INFO(schedule);
    constexpr int ranks = 5;
    constexpr int victim = 3;
    ProcessGroup group(ranks, patient(), [&](Communicator& communicator, RankState& state) {
      Repeated(Collective::AllReduce, schedule, ranks).run(communicator, state, endless);
    });
    REQUIRE(all_reach(group.states(), 20));
    strike(group, victim, SIGKILL, 5s, ErrorCode::PeerFailed);
  }
}

TEST_CASE("a killed rank is named whatever the collective") {
  for (const Collective collective : {Collective::AllGather, Collective::ReduceScatter,
                                      Collective::Broadcast, Collective::Barrier}) {
    INFO(to_string(collective));
    constexpr int ranks = 4;
    constexpr int victim = 1;
    ProcessGroup group(ranks, patient(), [&](Communicator& communicator, RankState& state) {
      Repeated(collective, "", ranks).run(communicator, state, endless);
    });
    REQUIRE(all_reach(group.states(), 20));
    strike(group, victim, SIGKILL, 5s, ErrorCode::PeerFailed);
  }
}

TEST_CASE("a rank killed in the midst of a long message is named") {
  constexpr int ranks = 3;
  ProcessGroup group(ranks, patient(), [&](Communicator& communicator, RankState& state) {
    state.rounds = 1;
    Repeated(Collective::AllReduce, "", ranks, 8 << 20).run(communicator, state, endless);
  });
  REQUIRE(all_reach(group.states(), 1));
  std::this_thread::sleep_for(300ms);
  strike(group, 2, SIGKILL, 5s, ErrorCode::PeerFailed);
}

TEST_CASE("a stopped rank is named at the deadline, and fails when it goes on") {
  for (const char* schedule : {"one_shot", "bidirectional_ring"}) {
    INFO(schedule);
    constexpr int ranks = 4;
    constexpr int victim = 2;
    Config config = test_config();
    config.timeout = 1500ms;
    ProcessGroup group(ranks, config, [&](Communicator& communicator, RankState& state) {
      Repeated(Collective::AllReduce, schedule, ranks).run(communicator, state, endless);
    });
    REQUIRE(all_reach(group.states(), 20));
    strike(group, victim, SIGSTOP, config.timeout + 1s, ErrorCode::Timeout);
    group[victim].send(SIGCONT);
    REQUIRE(all_end(group.states()));
    INFO(group.states()[victim].text());
    CHECK(group.states()[victim].code != ErrorCode::Ok);
  }
}

TEST_CASE("a rank that was stopped for less than the deadline goes on") {
  constexpr int ranks = 3;
  Config config = test_config();
  config.timeout = 5s;
  ProcessGroup group(ranks, config, [&](Communicator& communicator, RankState& state) {
    Repeated(Collective::AllReduce, "", ranks).run(communicator, state, 8'000);
  });
  REQUIRE(all_reach(group.states(), 20));
  group[1].send(SIGSTOP);
  std::this_thread::sleep_for(700ms);
  group[1].send(SIGCONT);
  REQUIRE(all_end(group.states()));
  for (int rank = 0; rank < ranks; ++rank) {
    INFO(group.states()[rank].text());
    CHECK(group.states()[rank].code == ErrorCode::Ok);
  }
}

TEST_CASE("survivors shrink after a death and compute on") {
  constexpr int ranks = 4;
  constexpr int victim = 0;
  RankStates after(ranks);
  ProcessGroup group(ranks, patient(), [&](Communicator& communicator, RankState& state) {
    Repeated(Collective::AllReduce, "", ranks).run(communicator, state, endless);
    Communicator smaller = communicator.shrink(std::vector<int>{1, 2, 3});
    Repeated next(Collective::AllReduce, "", smaller.size());
    next.run(smaller, after[communicator.rank()], 50);
    after[communicator.rank()].culprit = next.out[0] == 3.0F ? smaller.rank() : -2;
  });
  REQUIRE(all_reach(group.states(), 20));
  group[victim].kill();
  for (int rank = 1; rank < ranks; ++rank) {
    CHECK(group[rank].wait() == 0);
    INFO("rank " << rank << ": " << after[rank].text());
    CHECK(after[rank].code == ErrorCode::Ok);
    CHECK(after[rank].rounds == 50);
    CHECK(after[rank].culprit == rank - 1);
  }
}

TEST_CASE("many more processes than processors finish, and quickly") {
  for (const int ranks : {8, 16}) {
    INFO(ranks << " ranks");
    ProcessGroup group(ranks, patient(), [&](Communicator& communicator, RankState& state) {
      for (const char* schedule : {"one_shot", "two_shot", "bidirectional_ring"}) {
        state.rounds = 0;
        Repeated(Collective::AllReduce, schedule, ranks).run(communicator, state, 100);
      }
    });
    for (int rank = 0; rank < ranks; ++rank) {
      CHECK(group[rank].wait() == 0);
      INFO(group.states()[rank].text());
      CHECK(group.states()[rank].code == ErrorCode::Ok);
    }
  }
}

TEST_CASE("a rank whose shared memory cannot be made stops all") {
  constexpr int ranks = 3;
  RankStates states(ranks);
  const UniqueId id = UniqueId::generate("127.0.0.1");
  std::vector<test::RankProcess> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    processes.emplace_back(rank, [&](int me) {
      if (me == 1) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit none{0, 0};
        if (::setrlimit(RLIMIT_FSIZE, &none) != 0) return 2;
      }
      try {
        Communicator communicator(make_tcp_bootstrap(id, me, ranks, 10s), test_config());
      } catch (const Error& error) {
        states[me].code = static_cast<ErrorCode>(error.code().value());
        states[me].message.assign(error.what());
        return 0;
      }
      return 1;
    });
  }
  for (int rank = 0; rank < ranks; ++rank) {
    CHECK(processes[static_cast<std::size_t>(rank)].wait() == 0);
    INFO(states[rank].text());
    CHECK(states[rank].code == ErrorCode::Resource);
    CHECK_THAT(states[rank].message.str(), Contains("rank 1") && Contains("shared memory"));
  }
}

TEST_CASE("nothing stays in /dev/shm, even of ranks that are killed") {
  constexpr int ranks = 4;
  ProcessGroup group(ranks, patient(), [](Communicator& communicator, RankState& state) {
    Repeated(Collective::AllReduce, "", ranks).run(communicator, state, endless);
  });
  REQUIRE(all_reach(group.states(), 5));
  std::vector<pid_t> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    processes.push_back(group[rank].pid());
    CHECK(shared_memories(processes.back()).empty());
  }
  for (int rank = 0; rank < ranks; ++rank) group[rank].kill();
  for (int rank = 0; rank < ranks; ++rank) {
    static_cast<void>(group[rank].wait());
    CHECK(shared_memories(processes[static_cast<std::size_t>(rank)]).empty());
  }
}

// SPDX-License-Identifier: Apache-2.0
// UCX over TCP between ranks of this machine, which play hosts of their own.
#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/multiproc/rank_states.hpp"
#include "tests/multiproc/stall_meter.hpp"
#include "tests/ranks.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/sanitizers.hpp"

using namespace roce;
using namespace roce::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

Config over_ucx() {
  Config config = test_config();
  config.transport = TransportKind::Ucx;
  return config;
}

/// Forked ranks, `per_host` of them on each host.
class Hosts {
 public:
  using Body = std::function<void(const Config&, std::unique_ptr<Bootstrap>, RankState&)>;

  Hosts(int ranks, int per_host, const Config& config, const Body& body) : states_(ranks) {
    const UniqueId id = UniqueId::generate("127.0.0.1");
    for (int rank = 0; rank < ranks; ++rank) {
      processes_.emplace_back(rank, [&](int me) {
        Config mine = config;
        mine.host_id = "host" + std::to_string(me / per_host);
        body(mine, make_tcp_bootstrap(id, me, ranks, config.connect_timeout), states_[me]);
        return 0;
      });
    }
  }
  RankStates& states() { return states_; }
  test::RankProcess& operator[](int rank) { return processes_[static_cast<std::size_t>(rank)]; }
  void all_succeed() {
    for (int rank = 0; rank < states_.size(); ++rank) {
      INFO("rank " << rank);
      CHECK((*this)[rank].wait() == 0);
    }
  }

 private:
  RankStates states_;
  std::vector<test::RankProcess> processes_;
};

/// Every so manyth of `cases`, on ranks of hosts.
void conform(int ranks, int per_host, const Config& config,
             const std::vector<CollectiveCase>& cases, std::size_t every) {
  Hosts hosts(ranks, per_host, config, [&](const Config& mine, auto bootstrap, RankState&) {
    Communicator communicator(std::move(bootstrap), mine);
    for (std::size_t i = 0; i < cases.size(); i += every) {
      static_cast<void>(run_case(communicator, cases[i], ExpectedResult(cases[i])));
    }
  });
  hosts.all_succeed();
}

void repeat(const Config& config, std::unique_ptr<Bootstrap> bootstrap, RankState& state,
            Collective collective, std::size_t count, int rounds) {
  Communicator communicator(std::move(bootstrap), config);
  Repeated(collective, "", communicator.size(), count).run(communicator, state, rounds);
}

/// Hits a rank with `signal`; the others must name it with `code` after at most `most`.
void strike(Hosts& hosts, int victim, int signal, Clock::duration most, ErrorCode code) {
  const StallMeter stalls;
  const auto since = Clock::now();
  hosts[victim].send(signal);
  RankStates& states = hosts.states();
  REQUIRE(all_end(states, victim));
  for (int rank = 0; rank < states.size(); ++rank) {
    if (rank == victim) continue;
    RankState& state = states[rank];
    INFO("rank " << rank << ": " << state.text());
    CHECK(state.code == code);
    CHECK(state.culprit == victim);
    CHECK_THAT(state.message.str(), Contains("rank " + std::to_string(victim)));
    CHECK(state.ended_at - since < most + stalls.lost());
    CHECK(hosts[rank].wait() == 0);
  }
}

}  // namespace

TEST_CASE("every schedule gives every type and operator the right bits, in short segments") {
  Config config = over_ucx();
  config.segment = 4096;
  for (const int ranks : {2, 3}) {
    INFO(ranks << " hosts");
    conform(ranks, 1, config, catalog_cases(ranks, {}), sanitized ? 23 : 5);
  }
}

TEST_CASE("two hosts of two ranks share memory within and use UCX between") {
  Config config = over_ucx();
  config.segment = 4096;
  conform(4, 2, config, catalog_cases(4, {}), sanitized ? 97 : 29);
}

TEST_CASE("messages of several segments of the usual size arrive") {
  std::vector<CollectiveCase> cases;
  for (CollectiveCase what : catalog_cases(2, {})) {
    if (what.spec.type != DataType::BFloat16 || what.spec.op.kind() != ReduceOp::Kind::Sum) {
      continue;
    }
    what.spec.count = 1'200'000U / what.element() + 5;
    cases.push_back(what);
  }
  conform(2, 1, over_ucx(), cases, 1);
}

TEST_CASE("ranks that close at once leave the others what they need") {
  constexpr int ranks = 4;
  constexpr int communicators = 6;
  Hosts hosts(ranks, 1, over_ucx(), [](const Config& config, auto bootstrap, RankState&) {
    for (int i = 0; i < communicators; ++i) {
      std::vector<int> all{0, 1, 2, 3};
      Communicator communicator(bootstrap->shrink(all), config);
      for (const Collective collective : {Collective::AllReduce, Collective::Broadcast}) {
        RankState state;
        Repeated(collective, "", ranks, 3000).run(communicator, state, 1 + i);
        if (state.code != ErrorCode::Ok) throw std::runtime_error(state.message.str());
      }
    }
  });
  hosts.all_succeed();
}

TEST_CASE("a killed rank is named by all others, long before the deadline") {
  constexpr int ranks = 3;
  constexpr int victim = 1;
  for (const Collective collective :
       {Collective::AllReduce, Collective::AllGather, Collective::Broadcast}) {
    INFO(to_string(collective));
    Hosts hosts(ranks, 1, over_ucx(), [&](const Config& config, auto bootstrap, RankState& state) {
      repeat(config, std::move(bootstrap), state, collective, 999, endless);
    });
    REQUIRE(all_reach(hosts.states(), 20));
    strike(hosts, victim, SIGKILL, 5s, ErrorCode::PeerFailed);
  }
}

TEST_CASE("a rank killed in the midst of long messages is named, on its host and elsewhere") {
  Hosts hosts(4, 2, over_ucx(), [&](const Config& config, auto bootstrap, RankState& state) {
    repeat(config, std::move(bootstrap), state, Collective::AllReduce, 1U << 20U, endless);
  });
  REQUIRE(all_reach(hosts.states(), 1));
  strike(hosts, 2, SIGKILL, 5s, ErrorCode::PeerFailed);
}

TEST_CASE("a stopped rank is named at the deadline") {
  Config config = over_ucx();
  config.timeout = 1500ms;
  Hosts hosts(3, 1, config, [&](const Config& mine, auto bootstrap, RankState& state) {
    repeat(mine, std::move(bootstrap), state, Collective::AllReduce, 999, endless);
  });
  REQUIRE(all_reach(hosts.states(), 20));
  strike(hosts, 2, SIGSTOP, config.timeout + 2s, ErrorCode::Timeout);
}

TEST_CASE("ranks of one host are told that they need no network") {
  Hosts hosts(2, 2, over_ucx(), [](const Config& config, auto bootstrap, RankState& state) {
    try {
      const Communicator communicator(std::move(bootstrap), config);
    } catch (const Error& error) {
      state.code = static_cast<ErrorCode>(error.code().value());
      state.message.assign(error.what());
    }
  });
  hosts.all_succeed();
  for (int rank = 0; rank < 2; ++rank) {
    CHECK(hosts.states()[rank].code == ErrorCode::Unsupported);
    CHECK_THAT(hosts.states()[rank].message.str(), Contains("ROCE_TRANSPORT=ucx joins hosts"));
  }
}

TEST_CASE("a rank for which UCX finds nothing to use stops all with one sentence") {
  Hosts hosts(3, 1, over_ucx(), [](const Config& config, auto bootstrap, RankState& state) {
    if (bootstrap->rank() == 1) ::setenv("UCX_TLS", "sysv", 1);
    try {
      const Communicator communicator(std::move(bootstrap), config);
    } catch (const Error& error) {
      state.code = static_cast<ErrorCode>(error.code().value());
      state.message.assign(error.what());
    }
  });
  hosts.all_succeed();
  for (int rank = 0; rank < 3; ++rank) {
    INFO(hosts.states()[rank].text());
    CHECK(hosts.states()[rank].code != ErrorCode::Ok);
    CHECK(hosts.states()[rank].message.str() == hosts.states()[0].message.str());
    CHECK_THAT(hosts.states()[rank].message.str(), Contains("UCX_TLS"));
  }
}

// SPDX-License-Identifier: Apache-2.0
#include "roce/bootstrap.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <latch>
#include <optional>

#include "tests/catch.hpp"
#include "tests/multiproc/rank_group.hpp"

using namespace std::chrono_literals;
using roce::Bootstrap;
using roce::Error;
using roce::ErrorCode;
using roce::Failure;
using roce::make_tcp_bootstrap;
using roce::UniqueId;
using roce::test::RankProcess;
using roce::test::run_threads;
using roce::test::what;

namespace {

constexpr auto patience = 20s;
using Clock = std::chrono::steady_clock;

std::vector<std::byte> pattern(int rank, int round, std::size_t length) {
  std::array<std::byte, 251> block;
  for (std::size_t i = 0; i < block.size(); ++i) {
    block[i] = static_cast<std::byte>(static_cast<std::size_t>(rank * 31 + round * 7) + i);
  }
  std::vector<std::byte> bytes(length);
  for (std::size_t done = 0; done < length; done += block.size()) {
    std::memcpy(bytes.data() + done, block.data(), std::min(block.size(), length - done));
  }
  return bytes;
}

std::size_t odd_length(int rank, int round) {
  constexpr std::size_t lengths[] = {0, 1, 3, 17, 4097, 65'537, 1 << 20};
  return lengths[static_cast<std::size_t>(rank + 2 * round) % std::size(lengths)];
}

// Throws on a wrong answer: Catch's macros are for one thread only.
void gather_rounds(Bootstrap& bootstrap, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const auto mine = pattern(bootstrap.rank(), round, odd_length(bootstrap.rank(), round));
    const auto all = bootstrap.all_gather(mine);
    for (int rank = 0; rank < bootstrap.size(); ++rank) {
      if (all.at(static_cast<std::size_t>(rank)) != pattern(rank, round, odd_length(rank, round))) {
        throw std::runtime_error("wrong bytes of rank " + std::to_string(rank));
      }
    }
  }
}

ErrorCode code_of(const std::exception_ptr& thrown) {
  if (!thrown) return ErrorCode::Ok;
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return static_cast<ErrorCode>(error.code().value());
  }
}

std::optional<Failure> await_news(Bootstrap& bootstrap) {
  for (const auto end = Clock::now() + patience; Clock::now() < end;) {
    if (auto failure = bootstrap.poll_failure()) return failure;
    std::this_thread::sleep_for(1ms);
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("threads meet and exchange odd lengths over many rounds") {
  const int size = GENERATE(1, 2, 3, 4, 5, 6, 7, 8, 9);
  const UniqueId id = UniqueId::generate("127.0.0.1");
  const auto thrown = run_threads(size, [&](int rank) {
    const auto bootstrap = make_tcp_bootstrap(id, rank, size, patience);
    if (bootstrap->rank() != rank || bootstrap->size() != size) throw std::runtime_error("numbers");
    gather_rounds(*bootstrap, 14);
  });
  for (const auto& one : thrown) CHECK(what(one).empty());
}

TEST_CASE("processes meet and exchange") {
  const int size = GENERATE(2, 4, 9);
  const UniqueId id = UniqueId::generate("127.0.0.1");
  std::vector<RankProcess> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.emplace_back(rank, [&](int self) {
      gather_rounds(*make_tcp_bootstrap(id, self, size, patience), 7);
      return 0;
    });
  }
  for (auto& rank : ranks) CHECK(rank.wait() == 0);
}

TEST_CASE("ranks meet over IPv6, over a name and over a real interface") {
  const auto host = GENERATE(as<std::string>{}, "::1", "localhost", "");
  const UniqueId id = UniqueId::generate(host);
  const auto thrown = run_threads(
      3, [&](int rank) { gather_rounds(*make_tcp_bootstrap(id, rank, 3, patience), 3); });
  for (const auto& one : thrown) CHECK(what(one).empty());
}

TEST_CASE("ranks may come in any order and late, rank 0 last") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  const auto thrown = run_threads(4, [&](int rank) {
    std::this_thread::sleep_for(std::chrono::milliseconds(150 * (3 - rank)));
    gather_rounds(*make_tcp_bootstrap(id, rank, 4, patience), 2);
  });
  for (const auto& one : thrown) CHECK(what(one).empty());
}

TEST_CASE("ranks that never come are named on every rank") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  std::vector<std::exception_ptr> thrown = run_threads(6, [&](int rank) {
    if (rank == 2 || rank == 4) return;
    (void)make_tcp_bootstrap(id, rank, 6, 700ms);
  });
  for (const int rank : {0, 1, 3, 5}) {
    const auto& one = thrown[static_cast<std::size_t>(rank)];
    CHECK(code_of(one) == ErrorCode::Timeout);
    CHECK_THAT(what(one), Catch::Contains("ranks 2 and 4"));
  }
}

TEST_CASE("without rank 0 the others name it and its address") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  const auto thrown = run_threads(2, [&](int rank) {
    if (rank == 1) (void)make_tcp_bootstrap(id, 1, 2, 400ms);
  });
  CHECK(code_of(thrown[1]) == ErrorCode::Timeout);
  CHECK_THAT(what(thrown[1]),
             Catch::Contains("rank 0 at 127.0.0.1:") && Catch::Contains("Connection refused"));
}

TEST_CASE("impossible arguments are refused") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  CHECK_THROWS_AS(make_tcp_bootstrap(id, 2, 2, patience), Error);
  CHECK_THROWS_AS(make_tcp_bootstrap(id, -1, 2, patience), Error);
  CHECK_THROWS_AS(make_tcp_bootstrap(id, 0, 0, patience), Error);
  CHECK_THROWS_AS(make_tcp_bootstrap(id, 0, 1, 0ms), Error);
  const auto alone = make_tcp_bootstrap({}, 0, 1, patience);
  CHECK_THROWS_AS(alone->all_gather(std::vector<std::byte>((std::size_t{64} << 20) + 1)), Error);
  CHECK_THROWS_AS(alone->shrink(std::vector<int>{}), Error);
  CHECK_THROWS_AS(alone->shrink(std::vector<int>{1}), Error);
  CHECK(alone->shrink(std::vector<int>{0})->size() == 1);
  CHECK_FALSE(alone->poll_failure());
  CHECK_FALSE(alone->peer_gone(0));
}

TEST_CASE("an announcement reaches all, and ends their exchanges") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  std::latch all_heard(4);
  const auto thrown = run_threads(4, [&](int rank) {
    const auto bootstrap = make_tcp_bootstrap(id, rank, 4, patience);
    if (rank == 2) {
      Failure failure;
      failure.code = ErrorCode::Transport;
      failure.reporter = 2;
      failure.culprit = 1;
      failure.schedule = "all_reduce/one_shot";
      failure.message = "the cable is out";
      bootstrap->announce(failure);
    } else {
      const auto news = await_news(*bootstrap);
      if (!news || news->reporter != 2 || news->culprit != 1 ||
          news->code != ErrorCode::Transport || news->schedule != "all_reduce/one_shot" ||
          news->message != "the cable is out") {
        throw std::runtime_error("wrong news");
      }
      try {
        (void)bootstrap->all_gather({});
        throw std::runtime_error("the exchange did not end");
      } catch (const Error& error) {
        if (error.code() != ErrorCode::Transport) throw;
      }
    }
    all_heard.arrive_and_wait();
  });
  for (const auto& one : thrown) CHECK(what(one).empty());
}

TEST_CASE("an announcement overtakes bytes that nobody reads") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  std::latch announced(1);
  const auto thrown = run_threads(2, [&](int rank) {
    const auto bootstrap = make_tcp_bootstrap(id, rank, 2, 500ms);
    if (rank == 0) {
      const std::vector<std::byte> large(std::size_t{40} << 20);
      try {
        (void)bootstrap->all_gather(large);
      } catch (const Error& error) {
        Failure failure;
        failure.message = error.what();
        const auto begin = Clock::now();
        bootstrap->announce(failure);
        if (Clock::now() - begin > 250ms) throw std::runtime_error("announce took its time");
      }
      announced.count_down();
      // The rest of the large part leaves as the peer reads; then the notice.
      for (const auto end = Clock::now() + patience; Clock::now() < end;) {
        if (bootstrap->poll_failure()) return;
        std::this_thread::sleep_for(1ms);
      }
      throw std::runtime_error("the peer did not close");
    }
    announced.wait();
    const auto news = await_news(*bootstrap);
    if (!news || !news->message.starts_with("rank 0 waited 500 ms")) {
      throw std::runtime_error("wrong news");
    }
  });
  for (const auto& one : thrown) CHECK(what(one).empty());
}

TEST_CASE("a rank that stays away from an exchange is named; the exchange may be tried again") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  std::latch timed_out(3);
  const auto thrown = run_threads(3, [&](int rank) {
    const auto bootstrap = make_tcp_bootstrap(id, rank, 3, 300ms);
    if (rank != 1) {
      try {
        (void)bootstrap->all_gather(pattern(rank, 0, 5));
        throw std::runtime_error("an exchange without rank 1");
      } catch (const Error& error) {
        if (error.code() != ErrorCode::Timeout ||
            std::string(error.what()).find("for rank 1;") == std::string::npos) {
          throw;
        }
      }
    }
    timed_out.arrive_and_wait();
    if (rank == 1) (void)bootstrap->all_gather(pattern(rank, 0, 5));
    gather_rounds(*bootstrap, 3);
  });
  for (const auto& one : thrown) CHECK(what(one).empty());
}

TEST_CASE("a killed rank is reported by every other rank, again and again") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  std::vector<RankProcess> ranks;
  for (int rank = 0; rank < 4; ++rank) {
    ranks.emplace_back(rank, [&](int self) {
      const auto bootstrap = make_tcp_bootstrap(id, self, 4, patience);
      gather_rounds(*bootstrap, 2);
      if (self == 2) ::raise(SIGKILL);
      for (int again = 0; again < 3; ++again) {
        const auto news = await_news(*bootstrap);
        if (!news || news->code != ErrorCode::PeerFailed || news->culprit != 2) return 1;
        if (news->message.find("died") == std::string::npos) return 2;
      }
      if (!bootstrap->peer_gone(2) ||
          bootstrap->peer_gone((self + 1) % 4 == 2 ? self : (self + 1) % 4)) {
        return 3;
      }
      try {
        (void)bootstrap->all_gather({});
        return 4;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::PeerFailed) return 5;
      }
      // Ends only when all have seen the death, so that nobody sees another end first.
      const std::vector<int> survivors{0, 1, 3};
      (void)bootstrap->shrink(survivors)->all_gather({});
      return 0;
    });
  }
  for (int rank = 0; rank < 4; ++rank) {
    CHECK(ranks[static_cast<std::size_t>(rank)].wait() == (rank == 2 ? 128 + SIGKILL : 0));
  }
}

TEST_CASE("a rank that closes on purpose is told apart from a dead one") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  const auto thrown = run_threads(2, [&](int rank) {
    const auto bootstrap = make_tcp_bootstrap(id, rank, 2, patience);
    (void)bootstrap->all_gather({});
    if (rank == 1) return;
    const auto news = await_news(*bootstrap);
    if (!news || news->code != ErrorCode::PeerFailed || news->culprit != 1) {
      throw std::runtime_error("wrong news");
    }
    if (news->message.find("closed its communicator") == std::string::npos) {
      throw std::runtime_error(news->message);
    }
    if (!bootstrap->peer_gone(1)) throw std::runtime_error("not gone");
  });
  for (const auto& one : thrown) CHECK(what(one).empty());
}

TEST_CASE("an exchange completes although those who had it all have left") {
  const int size = 5;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const UniqueId id = UniqueId::generate("127.0.0.1");
    const auto thrown = run_threads(size, [&](int rank) {
      const auto bootstrap = make_tcp_bootstrap(id, rank, size, patience);
      gather_rounds(*bootstrap, 1 + repeat % 2);
    });
    for (const auto& one : thrown) CHECK(what(one).empty());
  }
}

TEST_CASE("survivors shrink after a death, at different times, and shrink again") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  std::vector<RankProcess> ranks;
  for (int rank = 0; rank < 5; ++rank) {
    ranks.emplace_back(rank, [&](int self) {
      const auto bootstrap = make_tcp_bootstrap(id, self, 5, patience);
      if (self == 0) ::raise(SIGKILL);
      if (!await_news(*bootstrap)) return 1;
      std::this_thread::sleep_for(std::chrono::milliseconds(self * 60));
      const auto four = bootstrap->shrink(std::vector<int>{1, 2, 3, 4});
      if (four->rank() != self - 1 || four->size() != 4) return 2;
      gather_rounds(*four, 3);
      if (four->rank() == 1) ::raise(SIGKILL);
      if (!await_news(*four)) return 3;
      std::this_thread::sleep_for(std::chrono::milliseconds((5 - self) * 60));
      const auto three = four->shrink(std::vector<int>{0, 2, 3});
      gather_rounds(*three, 3);
      return three->size() == 3 ? 0 : 4;
    });
  }
  const int killed = 128 + SIGKILL;
  const std::vector<int> expected{killed, 0, killed, 0, 0};
  for (int rank = 0; rank < 5; ++rank) {
    CHECK(ranks[static_cast<std::size_t>(rank)].wait() == expected[static_cast<std::size_t>(rank)]);
  }
}

TEST_CASE("a survivor that dies during a shrink ends it for the others at once") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  std::latch built(3);
  const auto begin = Clock::now();
  const auto thrown = run_threads(3, [&](int rank) {
    auto bootstrap = make_tcp_bootstrap(id, rank, 3, patience);
    built.arrive_and_wait();
    if (rank == 2) {
      std::this_thread::sleep_for(100ms);
      return;
    }
    (void)bootstrap->shrink(std::vector<int>{0, 1, 2});
  });
  CHECK(Clock::now() - begin < 5s);
  CHECK(code_of(thrown[0]) == ErrorCode::PeerFailed);
  CHECK(code_of(thrown[1]) == ErrorCode::PeerFailed);
  CHECK_THAT(what(thrown[1]), Catch::Contains("rank 2"));
}

TEST_CASE("survivors that disagree are told so") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  const auto thrown = run_threads(3, [&](int rank) {
    auto bootstrap = make_tcp_bootstrap(id, rank, 3, 500ms);
    (void)bootstrap->shrink(rank == 1 ? std::vector<int>{0, 1} : std::vector<int>{0, 1, 2});
  });
  CHECK(code_of(thrown[1]) == ErrorCode::Mismatch);
  CHECK_THAT(what(thrown[1]), Catch::Contains("0,1,2"));
  CHECK(thrown[0]);
}

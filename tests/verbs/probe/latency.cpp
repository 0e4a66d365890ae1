// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <vector>

#include "tests/verbs/probe/session.hpp"

namespace roce::probe {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Waits as ib_write_lat does: giving way now and then, as two processors serve all.
void await(Session& session, int peer, std::size_t flag, std::size_t bytes, std::uint64_t epoch) {
  auto& transport = session.transport();
  for (unsigned i = 0; i < 2000; ++i) {
    bool all = true;
    for (std::size_t line = 0; line < transport::flagged_lines(bytes); ++line) {
      all &= transport.arrived(peer, flag - line * transport::cache_line, epoch);
    }
    if (all) return;
    transport.poll();
    if (i % 256 == 255) ::sched_yield();
  }
  session.await(peer, flag, bytes, epoch);
}

struct Times {
  double exchange = 0;  ///< both send at once and wait for each other
  double one_way = 0;   ///< half of there and back, as ib_write_lat counts
};

Times measure(Session& session, std::size_t bytes, std::size_t rounds) {
  const int peer = 1 - session.rank();
  std::vector<double> exchange;
  std::vector<double> one_way;
  std::uint64_t epoch = 0;
  const auto send = [&] {
    session.put(peer, session.flag_offset(session.rank(), epoch), session.staging(epoch), bytes,
                epoch);
  };
  const auto receive = [&] {
    await(session, peer, session.flag_offset(peer, epoch), bytes, epoch);
  };
  const auto ping_pong = [&] {
    if (session.rank() == 0) send();
    receive();
    if (session.rank() == 1) send();
  };
  const auto both = [&] {
    send();
    receive();
  };
  // Reading the clock costs microseconds in some virtual machines, so a few rounds share a reading.
  constexpr std::size_t shared = 10;
  const auto repeat = [&](std::vector<double>& times, double divisor, const auto& step) {
    const std::size_t warm_up = rounds / shared / 10;
    for (std::size_t i = 0; i < warm_up + rounds / shared; ++i) {
      const auto begin = Clock::now();
      for (std::size_t j = 0; j < shared; ++j) {
        ++epoch;
        step();
      }
      if (i >= warm_up) times.push_back(microseconds(Clock::now() - begin) / divisor);
    }
    session.barrier();
  };
  repeat(exchange, shared, both);
  repeat(one_way, 2 * shared, ping_pong);
  return {median(exchange), median(one_way)};
}

}  // namespace

void measure_latency(Session& session, std::size_t bytes, std::size_t rounds) {
  if (session.size() != 2) throw Wrong("latency needs two ranks");
  if (rounds < 10) throw Wrong("latency needs ten rounds");
  for (const FlagMode mode : {FlagMode::Trailer, FlagMode::Flag, FlagMode::Imm}) {
    session.connect(mode);
    const Times times = measure(session, bytes, rounds);
    if (session.rank() != 0) continue;
    fmt::print("{} bytes, mode {}: exchange p50 {:.1f} us, one way p50 {:.1f} us\n", bytes,
               to_string(mode), times.exchange, times.one_way);
  }
}

}  // namespace roce::probe

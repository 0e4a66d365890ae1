// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <span>

#include "tests/verbs/probe/session.hpp"

namespace roce::probe {

void check_strangers(Session& session) {
  std::vector<int> all;
  for (int peer = 0; peer < session.size(); ++peer) {
    if (peer != session.rank()) all.push_back(peer);
  }
  std::string text;
  try {
    session.connect(FlagMode::Auto, all);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::Unsupported) throw;
    text = error.what();
  }
  if (text.find("share no cable") == std::string::npos) {
    throw Wrong("connecting ranks that share no cable gave '" + text + "'");
  }
  const auto texts = session.bootstrap().all_gather(std::as_bytes(std::span(text)));
  for (const auto& other : texts) {
    if (other != texts.front()) throw Wrong("ranks gave different errors");
  }
  // Without those, all is well, and a put to one of them is refused with a reason.
  auto& transport = session.connect(FlagMode::Auto);
  for (const int peer : all) {
    if (session.rails_to(peer) > 0) continue;
    if (transport.put(peer, session.signal_offset(0), nullptr, 0, 1)) {
      throw Wrong("a put to a rank without a connection was taken");
    }
    const auto failure = transport.failure();
    if (!failure || failure->culprit != peer) throw Wrong("no failure that names the stranger");
  }
  session.barrier();
  if (session.rank() == 0) fmt::print("{}\n", text);
}

void check_killed(Session& session) {
  constexpr int victim = 1;
  auto& transport = session.connect(session.config().flag_mode);
  session.barrier();
  if (session.rank() == victim) {
    fmt::print("rank {} ends\n", victim);
    std::fflush(stdout);
    std::raise(SIGKILL);
  }
  if (session.rails_to(victim) == 0) return;
  session.ignore_peers();
  try {
    session.wait("a failure", [&] {
      static std::uint64_t epoch = 0;
      if (transport.put(victim, session.signal_offset(0), nullptr, 0, epoch + 1)) ++epoch;
      return false;
    });
  } catch (const Broken& broken) {
    const Failure& failure = broken.failure();
    if (failure.culprit != victim || failure.code != ErrorCode::Transport ||
        failure.local_device.empty() || failure.remote_device.empty()) {
      throw Wrong(fmt::format("the failure names rank {}: {}", failure.culprit, failure.message));
    }
    fmt::print("rank {}: {} [{}]\n", session.rank(), failure.message,
               transport.describe(victim).notes);
  }
}

}  // namespace roce::probe

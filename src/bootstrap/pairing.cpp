// SPDX-License-Identifier: Apache-2.0
#include "src/bootstrap/pairing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace roce::bootstrap {
namespace {

// A peer that accepted but is slow to answer.
constexpr std::chrono::milliseconds answer_patience{10'000};
constexpr std::chrono::milliseconds pause_between_tries{100};

}  // namespace

Pairing::Pairing(Listener listener, const Key& key, const Roster& roster, int rank)
    : roster_(roster),
      key_(key),
      rank_(rank),
      connections_(roster.ranks.size()),
      reception_(std::move(listener), key,
                 Identity{.purpose = Purpose::Pair,
                          .size = static_cast<int>(roster.ranks.size()),
                          .rank = rank},
                 [this](int peer) -> std::optional<std::string> {
                   // Again is fine: the peer may have given an earlier connection up.
                   if (peer > rank_) return std::nullopt;
                   return fmt::format("rank {} waits for rank {} to listen, not to connect", rank_,
                                      peer);
                 }) {
  for (int target = 1; target < rank; ++target) attempts_.push_back({.target = target});
}

bool Pairing::complete() const noexcept {
  for (std::size_t peer = 1; peer < connections_.size(); ++peer) {
    if (!connections_[peer] && static_cast<int>(peer) != rank_) return false;
  }
  return true;
}

void Pairing::add_to(std::vector<pollfd>& waiting) const {
  reception_.add_to(waiting);
  for (const Attempt& attempt : attempts_) {
    if (!attempt.handshake) continue;
    waiting.push_back({attempt.handshake->socket().fd(), attempt.handshake->events(), 0});
  }
}

void Pairing::serve() {
  for (auto& arrival : reception_.serve()) {
    connections_[static_cast<std::size_t>(arrival.rank)] =
        std::make_unique<Connection>(std::move(arrival.socket), arrival.rank);
  }
  for (Attempt& attempt : attempts_) advance(attempt);
  std::erase_if(attempts_, [this](const Attempt& attempt) {
    return connections_[static_cast<std::size_t>(attempt.target)] != nullptr;
  });
}

void Pairing::begin(Attempt& attempt) {
  const Listening& listening = roster_.ranks[static_cast<std::size_t>(attempt.target)];
  const std::string& host = listening.hosts.at(attempt.tries++ % listening.hosts.size());
  const Address address = resolve(host, listening.port).at(0);
  attempt.handshake =
      std::make_unique<ConnectorHandshake>(Socket::start_connect(address), key_,
                                           Identity{.purpose = Purpose::Pair,
                                                    .size = static_cast<int>(roster_.ranks.size()),
                                                    .rank = rank_,
                                                    .target = attempt.target});
  attempt.last_error = address.to_string() + " does not answer";
  attempt.until = Clock::now() + connect_patience;
}

void Pairing::advance(Attempt& attempt) {
  if (!attempt.handshake) {
    if (Clock::now() < attempt.until) return;
    begin(attempt);
  }
  ConnectorHandshake& handshake = *attempt.handshake;
  const bool was_connecting = handshake.connecting();
  const auto state = handshake.advance();
  if (was_connecting && !handshake.connecting()) attempt.until = Clock::now() + answer_patience;
  if (state == Handshake::State::Done) {
    connections_[static_cast<std::size_t>(attempt.target)] =
        std::make_unique<Connection>(handshake.release(), attempt.target);
    return;
  }
  const bool running = state == Handshake::State::Running;
  if (running && Clock::now() < attempt.until) return;
  if (!running) {
    const Listening& listening = roster_.ranks[static_cast<std::size_t>(attempt.target)];
    const std::string& host = listening.hosts[(attempt.tries - 1) % listening.hosts.size()];
    attempt.last_error =
        fmt::format("{}: {}", endpoint_text(host, listening.port), handshake.reason());
  }
  attempt.handshake.reset();
  attempt.until = Clock::now() + pause_between_tries;
}

std::string Pairing::problems() const {
  std::vector<std::string> parts;
  parts.reserve(attempts_.size());
  for (const Attempt& attempt : attempts_) {
    parts.push_back(
        fmt::format("rank {} cannot be reached ({})", attempt.target, attempt.last_error));
  }
  std::vector<int> silent;
  for (std::size_t peer = static_cast<std::size_t>(rank_) + 1; peer < connections_.size(); ++peer) {
    if (!connections_[peer]) silent.push_back(static_cast<int>(peer));
  }
  if (!silent.empty()) {
    parts.push_back(fmt::format("{} did not connect to {}{}", rank_list(silent),
                                reception_.address().to_string(), reception_.turned_away()));
  }
  return fmt::format("{}; check that no firewall is between the hosts", fmt::join(parts, "; "));
}

}  // namespace roce::bootstrap

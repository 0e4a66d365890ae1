// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "src/bootstrap/reception.hpp"
#include "src/bootstrap/rendezvous.hpp"
#include "src/bootstrap/roster.hpp"

namespace roce::bootstrap {
namespace {

constexpr int turn_ms = 50;
constexpr std::chrono::milliseconds farewell_patience{200};

class Root {
 public:
  Root(Listener listener, const Secret& secret, const Party& party)
      : party_(party),
        members_(static_cast<std::size_t>(party.size)),
        listening_(members_.size()),
        ready_(members_.size()),
        reception_(std::move(listener), join_key(secret),
                   Identity{.purpose = Purpose::Join, .size = party.size, .rank = party.rank},
                   [this](int rank) { return objection(rank); }) {}

  Connections run() {
    try {
      gather_members();
      send_roster();
      await_ready();
    } catch (const Error& error) {
      tell_all(make_failure(static_cast<ErrorCode>(error.code().value()), party_.rank, culprit_,
                            error.what()));
      throw;
    }
    for (const auto& member : members_) {
      if (member) member->send(encode_frame(FrameType::Go, 0, {}));
    }
    return std::move(members_);
  }

 private:
  std::optional<std::string> objection(int rank) const {
    const auto& member = members_[static_cast<std::size_t>(rank)];
    if (!member) return std::nullopt;
    return fmt::format("rank {} has joined already, from {}; give each process its own rank", rank,
                       member->peer_text());
  }

  template <typename Absent>
  std::vector<int> ranks_where(Absent absent) const {
    std::vector<int> ranks;
    for (int rank = 1; rank < party_.size; ++rank) {
      if (absent(static_cast<std::size_t>(rank))) ranks.push_back(rank);
    }
    return ranks;
  }
  // A rank has come once it has said where it listens.
  std::vector<int> missing() const {
    return ranks_where([this](std::size_t rank) { return listening_[rank].port == 0; });
  }

  void gather_members() {
    auto absent = missing();
    while (!absent.empty()) {
      if (party_.deadline.passed()) {
        throw Error(ErrorCode::Timeout,
                    fmt::format("rank 0 waited {} ms at {} for {} of {}; start what is missing, or "
                                "check that it was given this address and that no firewall is "
                                "between{}",
                                party_.deadline.timeout().count(), reception_.address().to_string(),
                                rank_list(absent), party_.size, reception_.turned_away()));
      }
      check_known_gone(absent);
      turn();
      const auto still_absent = missing();
      if (still_absent != absent) tell_missing(still_absent);
      absent = still_absent;
    }
  }

  void check_known_gone(const std::vector<int>& absent) {
    if (!party_.known_gone) return;
    for (const int rank : absent) {
      if (members_[static_cast<std::size_t>(rank)] || !party_.known_gone(rank)) continue;
      culprit_ = rank;
      throw Error(ErrorCode::PeerFailed,
                  fmt::format("rank {} ended before it joined rank 0", rank));
    }
  }

  void tell_missing(const std::vector<int>& absent) {
    const auto frame = encode_frame(FrameType::Missing, 0, encode_ranks(absent));
    for (const auto& member : members_) {
      if (member) member->send(frame);
    }
  }

  void send_roster() {
    // A little less than what is left here, so that a rank that cannot reach another one says so
    // before rank 0 can only say that it waited.
    const Roster roster{
        .session = random_nonce(), .budget = party_.deadline.left() * 9 / 10, .ranks = listening_};
    const auto frame = encode_frame(FrameType::Roster, 0, encode(roster));
    for (const auto& member : members_) {
      if (member) member->send(frame);
    }
  }

  void await_ready() {
    for (;;) {
      const auto absent = ranks_where([this](std::size_t rank) { return !ready_[rank]; });
      if (absent.empty()) return;
      if (party_.deadline.passed()) {
        throw Error(ErrorCode::Timeout,
                    fmt::format("rank 0 waited {} ms; {} of {} came but did not connect to all the "
                                "others; check that no firewall is between the hosts",
                                party_.deadline.timeout().count(), rank_list(absent), party_.size));
      }
      turn();
    }
  }

  void turn() {
    std::vector<pollfd> waiting;
    reception_.add_to(waiting);
    for (const auto& member : members_) {
      if (member) waiting.push_back({member->fd(), member->events(), 0});
    }
    (void)::poll(waiting.data(), waiting.size(), party_.deadline.poll_ms(turn_ms));
    for (auto& arrival : reception_.serve()) {
      auto& member = members_[static_cast<std::size_t>(arrival.rank)];
      member = std::make_unique<Connection>(std::move(arrival.socket), arrival.rank);
    }
    for (const auto& member : members_) {
      if (member) serve(*member);
    }
  }

  void serve(Connection& member) {
    member.flush();
    member.receive();
    while (auto frame = member.next_frame()) handle(member, *frame);
    if (member.up()) return;
    culprit_ = member.peer();
    throw Error(
        ErrorCode::PeerFailed,
        fmt::format("rank {} ({}) left while the ranks were meeting: {}; look at its output",
                    member.peer(), member.peer_text(), member.reason()));
  }

  void handle(const Connection& member, const Frame& frame) {
    const auto rank = static_cast<std::size_t>(member.peer());
    if (frame.type == FrameType::Join) {
      Listening listening = decode_listening(frame.payload);
      // The address that rank 0 sees is the likeliest to be reachable for others, too.
      listening.hosts.insert(listening.hosts.begin(), member.socket().peer_address().host());
      listening_[rank] = std::move(listening);
    } else if (frame.type == FrameType::Ready) {
      ready_[rank] = true;
    } else if (frame.type == FrameType::Failure) {
      const Failure failure = decode_failure(frame.payload);
      culprit_ = member.peer();
      throw Error(failure.code, failure.message);
    }
  }

  void tell_all(const Failure& failure) noexcept {
    try {
      const auto frame = encode_frame(FrameType::Failure, 0, encode_failure(failure));
      for (const auto& member : members_) {
        if (!member || !member->up()) continue;
        member->send_urgent(frame);
        member->finish(farewell_patience);
      }
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
      // Out of memory: the connections close, which tells them less.
    }
  }

  const Party& party_;
  Connections members_;
  std::vector<Listening> listening_;
  std::vector<bool> ready_;
  Reception reception_;
  int culprit_ = -1;
};

}  // namespace

Connections meet_as_root(Listener listener, const Secret& secret, const Party& party) {
  return Root(std::move(listener), secret, party).run();
}

std::string rank_list(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
    text += std::to_string(ranks[i]);
  }
  return text;
}

}  // namespace roce::bootstrap

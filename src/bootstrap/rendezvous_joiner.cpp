// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <thread>

#include "src/bootstrap/pairing.hpp"
#include "src/bootstrap/rendezvous.hpp"
#include "src/bootstrap/roster.hpp"

namespace roce::bootstrap {
namespace {

constexpr int turn_ms = 50;
constexpr std::chrono::milliseconds first_pause{10};
constexpr std::chrono::milliseconds longest_pause{250};
constexpr std::chrono::milliseconds farewell_patience{200};

class Joiner {
 public:
  Joiner(const std::function<UniqueId()>& meeting_point, const Party& party)
      : meeting_point_(meeting_point), party_(party) {}

  Connections run() {
    root_ = std::make_unique<Connection>(reach_root(), 0);
    try {
      Listener listener = open_listener();
      announce_listener(listener);
      const Roster roster = await_roster();
      Connections connections = connect_pairs(std::move(listener), roster);
      root_->send(encode_frame(FrameType::Ready, 0, {}));
      await_go();
      connections[0] = std::move(root_);
      return connections;
    } catch (const Error& error) {
      give_reason(error);
      throw;
    }
  }

 private:
  // Tries until rank 0 listens; only a refusal by rank 0 itself ends it early.
  Socket reach_root() {
    std::string last = "no attempt was made";
    auto pause = first_pause;
    for (std::size_t attempt = 0;; ++attempt) {
      const UniqueId id = meeting_point_();
      key_ = join_key(id.secret);
      where_ = endpoint_text(id.host, id.port);
      const auto addresses = resolve(id.host, id.port);
      if (auto socket = try_root(addresses.at(attempt % addresses.size()), last)) {
        return std::move(*socket);
      }
      if (party_.deadline.passed()) {
        throw Error(ErrorCode::Timeout,
                    fmt::format("rank {} could not reach rank 0 at {} within {} ms: {}; start rank "
                                "0, or check address and firewall",
                                party_.rank, where_, party_.deadline.timeout().count(), last));
      }
      if (party_.known_gone && party_.known_gone(0)) {
        throw Error(
            ErrorCode::PeerFailed,
            fmt::format("rank {} could not reach rank 0 at {}: it has ended", party_.rank, where_));
      }
      std::this_thread::sleep_for(std::min(pause, party_.deadline.left()));
      pause = std::min(2 * pause, longest_pause);
    }
  }

  std::optional<Socket> try_root(const Address& address, std::string& last) {
    ConnectorHandshake handshake(
        Socket::start_connect(address), key_,
        Identity{.purpose = Purpose::Join, .size = party_.size, .rank = party_.rank, .target = 0});
    const Deadline connect_deadline(connect_patience);
    while (handshake.advance() == Handshake::State::Running) {
      if (party_.deadline.passed() || (handshake.connecting() && connect_deadline.passed())) {
        last = "it does not answer";
        return std::nullopt;
      }
      pollfd waiting{handshake.socket().fd(), handshake.events(), 0};
      (void)::poll(&waiting, 1, party_.deadline.poll_ms(turn_ms));
    }
    if (handshake.state() == Handshake::State::Done) return handshake.release();
    if (handshake.state() == Handshake::State::Refused) {
      throw Error(ErrorCode::Mismatch, fmt::format("rank {} was not let in by rank 0 at {}: {}",
                                                   party_.rank, where_, handshake.reason()));
    }
    last = handshake.reason();
    return std::nullopt;
  }

  // Ranks that meet at a loopback address are all on this host: then nobody else can knock.
  Listener open_listener() const {
    Address own = root_->socket().local_address();
    if (!own.is_loopback()) return Listener::anywhere(0);
    own.set_port(0);
    return Listener::at(own);
  }

  void announce_listener(const Listener& listener) {
    Listening listening{.port = listener.address().port(), .hosts = {}};
    if (!listener.address().is_loopback()) {
      for (const Address& address : local_addresses()) listening.hosts.push_back(address.host());
    }
    root_->send(encode_frame(FrameType::Join, 0, encode(listening)));
  }

  Roster await_roster() {
    for (;;) {
      if (const auto frame = root_frame()) {
        if (frame->type == FrameType::Roster) return decode_roster(frame->payload);
        if (frame->type == FrameType::Missing) missing_ = decode_ranks(frame->payload);
        continue;
      }
      if (party_.deadline.passed()) {
        throw Error(
            ErrorCode::Timeout,
            fmt::format("rank {} reached rank 0 and waited {} ms in all for {} of {}; start "
                        "what is missing, or check its address",
                        party_.rank, party_.deadline.timeout().count(),
                        missing_.empty() ? "the others" : rank_list(missing_), party_.size));
      }
      wait_for_root();
    }
  }

  void await_go() {
    for (;;) {
      if (const auto frame = root_frame()) {
        if (frame->type == FrameType::Go) return;
        continue;
      }
      if (party_.deadline.passed()) {
        throw Error(ErrorCode::Timeout,
                    fmt::format("rank {} is connected to all others, but rank 0 did not say within "
                                "{} ms that they are, too",
                                party_.rank, party_.deadline.timeout().count()));
      }
      wait_for_root();
    }
  }

  Connections connect_pairs(Listener listener, const Roster& roster) {
    Pairing pairing(std::move(listener), pair_key(key_, roster.session), roster, party_.rank);
    const Deadline budget(std::min(roster.budget, party_.deadline.left()));
    while (!pairing.complete()) {
      if (budget.passed()) {
        throw Error(ErrorCode::Timeout,
                    fmt::format("rank {} waited {} ms for connections: {}", party_.rank,
                                budget.timeout().count(), pairing.problems()));
      }
      std::vector<pollfd> waiting{{root_->fd(), root_->events(), 0}};
      pairing.add_to(waiting);
      (void)::poll(waiting.data(), waiting.size(), budget.poll_ms(turn_ms));
      pairing.serve();
      (void)root_frame();
    }
    return std::move(pairing).connections();
  }

  void wait_for_root() {
    pollfd waiting{root_->fd(), root_->events(), 0};
    (void)::poll(&waiting, 1, party_.deadline.poll_ms(turn_ms));
  }

  // Rank 0's next frame, if there is one. Throws what rank 0 announces, or that it is gone.
  std::optional<Frame> root_frame() {
    root_->flush();
    root_->receive();
    auto frame = root_->next_frame();
    if (frame && frame->type == FrameType::Failure) {
      announced_ = true;
      const Failure failure = decode_failure(frame->payload);
      throw Error(failure.code, failure.message);
    }
    if (!frame && !root_->up()) {
      throw Error(ErrorCode::PeerFailed,
                  fmt::format("rank {} lost rank 0 ({}) while the ranks were meeting: {}; look at "
                              "rank 0's output",
                              party_.rank, root_->peer_text(), root_->reason()));
    }
    return frame;
  }

  void give_reason(const Error& error) noexcept {
    if (announced_ || !root_->up()) return;
    try {
      const Failure failure =
          make_failure(static_cast<ErrorCode>(error.code().value()), party_.rank, -1, error.what());
      root_->send_urgent(encode_frame(FrameType::Failure, 0, encode_failure(failure)));
      root_->finish(farewell_patience);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
      // Out of memory: the connection closes, which tells rank 0 less.
    }
  }

  const std::function<UniqueId()>& meeting_point_;
  const Party& party_;
  Key key_{};
  std::string where_;
  std::unique_ptr<Connection> root_;
  std::vector<int> missing_;
  bool announced_ = false;
};

}  // namespace

Connections meet_as_joiner(const std::function<UniqueId()>& meeting_point, const Party& party) {
  return Joiner(meeting_point, party).run();
}

}  // namespace roce::bootstrap

// SPDX-License-Identifier: Apache-2.0
#include "src/bootstrap/reception.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace roce::bootstrap {
namespace {

constexpr std::chrono::milliseconds handshake_patience{5000};
constexpr std::size_t spare_guests = 64;

}  // namespace

Reception::Reception(Listener listener, const Key& key, Identity self, Handshake::Admission admit)
    : listener_(std::move(listener)), key_(key), self_(self), admit_(std::move(admit)) {}

void Reception::add_to(std::vector<pollfd>& waiting) const {
  waiting.push_back({listener_.fd(), POLLIN, 0});
  for (const Guest& guest : guests_) {
    waiting.push_back({guest.handshake->socket().fd(), guest.handshake->events(), 0});
  }
}

void Reception::accept_all() {
  const std::size_t most = static_cast<std::size_t>(self_.size) + spare_guests;
  // A bounded number a turn, so that a flood cannot keep the others from being served.
  for (std::size_t turn = 0; turn < most; ++turn) {
    Socket socket = listener_.accept();
    if (!socket.is_open()) return;
    if (guests_.size() == most) {
      note(*guests_.front().handshake, "it said nothing while too many others waited");
      guests_.pop_front();
    }
    guests_.push_back({std::make_unique<AcceptorHandshake>(std::move(socket), key_, self_, admit_),
                       Deadline(handshake_patience)});
  }
}

std::vector<Reception::Arrival> Reception::serve() {
  accept_all();
  std::vector<Arrival> arrivals;
  for (auto guest = guests_.begin(); guest != guests_.end();) {
    AcceptorHandshake& handshake = *guest->handshake;
    const auto state = handshake.advance();
    if (state == Handshake::State::Done) {
      arrivals.push_back({handshake.peer(), handshake.release()});
    } else if (state == Handshake::State::Running && !guest->patience.passed()) {
      ++guest;
      continue;
    } else {
      note(handshake, state == Handshake::State::Running ? "it did not finish the handshake"
                                                         : handshake.reason());
    }
    guest = guests_.erase(guest);
  }
  return arrivals;
}

void Reception::note(const Handshake& handshake, const std::string& reason) {
  ++refused_;
  last_refusal_ = fmt::format("{} ({})", handshake.socket().peer_address().to_string(), reason);
}

std::string Reception::turned_away() const {
  if (refused_ == 0) return {};
  return fmt::format("; {} connection(s) were turned away, the last from {}", refused_,
                     last_refusal_);
}

}  // namespace roce::bootstrap

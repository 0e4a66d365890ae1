// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "src/bootstrap/deadline.hpp"
#include "src/bootstrap/handshake.hpp"

namespace roce::bootstrap {

/// Accepts connections and takes each through the acceptor's handshake, all at once, so that one
/// that says nothing or talks nonsense holds up no other. Strangers are dropped after a few
/// seconds, or the oldest of them when there are too many.
class Reception {
 public:
  struct Arrival {
    int rank = -1;
    Socket socket;
  };

  Reception(Listener listener, const Key& key, Identity self, Handshake::Admission admit);

  /// Adds what to poll for.
  void add_to(std::vector<pollfd>& waiting) const;
  /// Does what can be done without blocking, and returns who proved to be a peer since the last
  /// call.
  [[nodiscard]] std::vector<Arrival> serve();

  [[nodiscard]] Address address() const noexcept { return listener_.address(); }
  /// A sentence about those that were turned away, for a timeout's message; empty when none was.
  [[nodiscard]] std::string turned_away() const;

 private:
  struct Guest {
    std::unique_ptr<AcceptorHandshake> handshake;
    Deadline patience;
  };
  void accept_all();
  void note(const Handshake& handshake, const std::string& reason);

  Listener listener_;
  Key key_;
  Identity self_;
  Handshake::Admission admit_;
  std::list<Guest> guests_;
  int refused_ = 0;
  std::string last_refusal_;
};

}  // namespace roce::bootstrap

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "src/bootstrap/reception.hpp"
#include "src/bootstrap/rendezvous.hpp"
#include "src/bootstrap/roster.hpp"

namespace roce::bootstrap {

/// Builds this rank's connections to all ranks but 0: it connects to the lower ones, trying their
/// addresses in turn, and accepts the higher ones. Never blocks.
class Pairing {
 public:
  Pairing(Listener listener, const Key& key, const Roster& roster, int rank);

  void add_to(std::vector<pollfd>& waiting) const;
  void serve();
  [[nodiscard]] bool complete() const noexcept;
  /// Which connections are missing and why, for a timeout's message.
  [[nodiscard]] std::string problems() const;
  [[nodiscard]] Connections connections() && noexcept { return std::move(connections_); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Attempt {
    int target = -1;
    std::size_t tries = 0;
    std::unique_ptr<ConnectorHandshake> handshake = nullptr;
    Clock::time_point until{};  // of this try, or of the pause before the next
    std::string last_error = "no attempt was made";
  };
  void begin(Attempt& attempt);
  void advance(Attempt& attempt);

  const Roster& roster_;
  Key key_;
  int rank_;
  Connections connections_;
  Reception reception_;
  std::vector<Attempt> attempts_;
};

}  // namespace roce::bootstrap

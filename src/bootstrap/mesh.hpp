// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/bootstrap/rendezvous.hpp"

namespace roce::bootstrap {

/// The connections of one rank to all others, with what has come over them sorted by kind.
class Mesh {
 public:
  Mesh(int rank, Connections connections);
  /// Says goodbye, waits briefly for what is queued to leave, and closes.
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  /// One poll() over all connections of at most `timeout_ms`, then reads and sends what can be
  /// read and sent. Does not block otherwise.
  void pump(int timeout_ms);

  void send(int peer, const SharedBytes& frame);
  void send_to_all(const SharedBytes& frame);
  void send_urgent_to_all(const SharedBytes& frame);
  [[nodiscard]] bool has_unsent(int peer) const noexcept;

  /// The data frame of this sequence number, once it has come. Older ones are thrown away.
  [[nodiscard]] std::optional<Bytes> take_data(int peer, std::uint32_t sequence);
  /// All invites of a peer that have come since the last call, oldest first.
  [[nodiscard]] std::vector<Bytes> take_invites(int peer);

  /// The first failure that a peer announced, or null.
  [[nodiscard]] const Failure* announced() const noexcept {
    return announced_.empty() ? nullptr : announced_.data();
  }
  /// Each peer's first announcement once, in the order in which they came; null when there is no
  /// new one.
  [[nodiscard]] const Failure* take_announced() noexcept {
    return taken_ == announced_.size() ? nullptr : &announced_[taken_++];
  }
  /// The first peer that was found gone, or -1.
  [[nodiscard]] int first_gone() const noexcept { return first_gone_; }
  [[nodiscard]] bool gone(int peer) const noexcept;
  /// A PeerFailed that says how the connection to `peer` ended.
  [[nodiscard]] Failure describe_gone(int peer) const;
  /// This machine's address as `peer` reaches it.
  [[nodiscard]] Address own_address_towards(int peer) const;

 private:
  struct Inbox {
    std::deque<Frame> data;
    std::vector<Bytes> invites;
    bool announced = false;
  };
  void serve(Connection& connection);
  void sort(Connection& connection, Frame frame);
  void update_polling() noexcept;
  void note_gone(int peer) noexcept;

  int rank_;
  Connections connections_;
  std::vector<pollfd> polling_;  // by rank; fd -1 where there is nothing to poll
  std::vector<Inbox> inboxes_;
  std::vector<Failure> announced_;
  std::size_t taken_ = 0;  ///< how many of them take_announced() has returned
  int first_gone_ = -1;
};

}  // namespace roce::bootstrap

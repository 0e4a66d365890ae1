// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "roce/export.hpp"
#include "roce/status.hpp"
#include "roce/unique_id.hpp"

namespace roce {

/// Exchange of bytes between the ranks while a communicator is built, and of bad news afterwards.
/// Never on the data path. Implement it to build a communicator over an exchange that you already
/// have (MPI, a key-value store); TcpBootstrap is the library's own.
///
/// Not safe for concurrent use: one thread at a time.
class ROCE_API Bootstrap {
 public:
  virtual ~Bootstrap();
  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;

  /// Every rank gives some bytes, every rank gets those of all, by rank. Lengths may differ.
  /// Collective; also serves as a barrier. Throws Error: Timeout that names the missing ranks, or
  /// PeerFailed that names the dead one, or the failure that a peer announced.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> all_gather(
      std::span<const std::byte> mine) = 0;

  /// Tells every peer about a failure, as far as they can still be reached. Does not block or
  /// throw.
  virtual void announce(const Failure& failure) noexcept = 0;

  /// News from peers, without blocking: a failure that one of them announced (reporter is set), or
  /// that one is gone (code PeerFailed, culprit is set). Each peer's death is reported by every
  /// later call too. Empty when all is well.
  [[nodiscard]] virtual std::optional<Failure> poll_failure() noexcept = 0;
  /// True once the peer's connection has ended, however it ended.
  [[nodiscard]] virtual bool peer_gone(int peer) const noexcept = 0;

  /// A bootstrap among some of the ranks, renumbered in the order of `survivors` (old ranks,
  /// ascending, this one among them). Collective over the survivors only; works after failures.
  [[nodiscard]] virtual std::unique_ptr<Bootstrap> shrink(std::span<const int> survivors) = 0;
};

/// Ranks meet at rank 0's host and port, prove the secret (HMAC challenge, both ways), and keep one
/// TCP connection to each other, over which exchange and failure notices run.
///
/// `timeout` bounds the rendezvous and each later collective call. Throws Error: Timeout naming the
/// ranks that never came, Mismatch for a wrong secret or two ranks of one number, Resource naming
/// address, port and errno text.
[[nodiscard]] ROCE_API std::unique_ptr<Bootstrap> make_tcp_bootstrap(
    const UniqueId& id, int rank, int size, std::chrono::milliseconds timeout);

}  // namespace roce

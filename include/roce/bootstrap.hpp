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
  /// Collective; also serves as a barrier: it returns once every rank has called it. At most 64 MiB
  /// from a rank. Throws Error: Timeout that names the missing ranks, PeerFailed that names the
  /// dead one, the failure that a peer announced, or InvalidArgument when `mine` is too long. After
  /// a Timeout it may be called again; the ranks' calls are matched by their number.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> all_gather(
      std::span<const std::byte> mine) = 0;

  /// Tells every peer about a failure, as far as they can still be reached. Does not block or
  /// throw; what does not leave at once leaves with the next call of this object or its end.
  virtual void announce(const Failure& failure) noexcept = 0;

  /// News from peers, without blocking (one poll() system call when there is none). Failures that
  /// peers announced come first (reporter is set to another rank), each peer's first one once, in
  /// the order in which they came; later calls repeat the first of them. Else the first peer found
  /// to be gone (code PeerFailed, culprit is set, reporter is this rank or -1, the message says
  /// whether it closed its bootstrap or died), by every later call too. Empty when all is well.
  [[nodiscard]] virtual std::optional<Failure> poll_failure() noexcept = 0;
  /// True once the peer's connection was found ended, however it ended, by the latest all_gather or
  /// poll_failure. Makes no system call.
  [[nodiscard]] virtual bool peer_gone(int peer) const noexcept = 0;

  /// A bootstrap among some of the ranks, renumbered in the order of `survivors` (old ranks,
  /// ascending, this one among them). Collective over the survivors only, which may call it at
  /// different times within the timeout; works after failures, and this object stays usable.
  /// Throws Error: InvalidArgument, PeerFailed when a survivor is gone, Mismatch when the survivors
  /// name different ranks, Timeout.
  [[nodiscard]] virtual std::unique_ptr<Bootstrap> shrink(std::span<const int> survivors) = 0;
};

/// Ranks meet at rank 0's host and port, prove the secret to each other (HMAC challenge, both
/// ways), and keep one TCP connection to each other, over which exchange and failure notices run.
/// Ranks may start in any order. Strangers at the port (scanners, wrong secrets) are turned away
/// and do no harm. What runs over the connections afterwards is neither encrypted nor signed.
///
/// `timeout` bounds the rendezvous and each later collective call. A size of 1 needs no network and
/// ignores `id`. Collective; when one rank fails the others are told why at once. Throws Error:
/// Timeout naming the ranks that never came, Mismatch for another secret, size or version or two
/// ranks of one number, PeerFailed naming a rank that ended meanwhile, Resource naming address,
/// port and errno text, InvalidArgument.
[[nodiscard]] ROCE_API std::unique_ptr<Bootstrap> make_tcp_bootstrap(
    const UniqueId& id, int rank, int size, std::chrono::milliseconds timeout);

}  // namespace roce

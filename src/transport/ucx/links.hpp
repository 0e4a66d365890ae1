// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/transport/ucx/connection.hpp"
#include "src/transport/ucx/worker.hpp"

namespace roce::transport::ucx {

/// One rank's connections and the slot memory that their messages go into.
class Links {
 public:
  /// `peers` is how many there will be. Throws roce::Error: Unsupported, Resource.
  Links(int rank, int ranks, std::span<std::byte> memory, std::size_t peers);
  /// Takes leave of the peers, waits a moment for that to go out, and closes.
  ~Links();
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] std::span<std::byte> memory() const noexcept { return memory_; }
  /// What must stand in the header of each message to this rank.
  [[nodiscard]] std::uint64_t token() const noexcept { return token_; }
  [[nodiscard]] const Worker& worker() const noexcept { return worker_; }

  /// Makes a connection. Throws roce::Error (Resource).
  void add(const RemoteEnd& remote);
  /// Exchanges a Hello with each peer, which makes UCX connect. Throws roce::Error (Timeout,
  /// Transport) naming the peers that were not reached within `timeout`.
  void greet_all(std::chrono::milliseconds timeout);

  /// By rank; null for ranks that are not reached over UCX.
  [[nodiscard]] Connection* connection(int peer) const noexcept {
    return connections_[static_cast<std::size_t>(peer)].get();
  }
  /// The connections that there are, by rank.
  [[nodiscard]] const std::vector<Connection*>& all() const noexcept { return all_; }
  /// A message that does not fit the slots came from a rank; -1 when none did.
  [[nodiscard]] int offender() const noexcept { return offender_; }

 private:
  static ucs_status_t on_message(void* argument, const void* header, std::size_t header_bytes,
                                 void* data, std::size_t bytes,
                                 const ucp_am_recv_param_t* param) noexcept;
  void take(const MessageHeader& header, const std::byte* data, std::size_t bytes) noexcept;
  /// Waits until what was sent has left; false when `timeout` is over before.
  [[nodiscard]] bool flush(std::chrono::milliseconds timeout) const;

  int rank_;
  std::span<std::byte> memory_;
  std::uint64_t token_;
  int offender_ = -1;
  Context context_;
  Worker worker_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Connection*> all_;
};

}  // namespace roce::transport::ucx

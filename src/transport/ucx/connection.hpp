// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "src/transport/ucx/endpoint.hpp"
#include "src/transport/ucx/message.hpp"

namespace roce::transport::ucx {

/// What a rank's end of its connections must know of a peer.
struct RemoteEnd {
  int rank = -1;
  std::uint64_t token = 0;
  std::span<const std::byte> address;  ///< of its worker
};

/// The messages to one peer: a bounded number under way, each with the header that UCX reads until
/// it is sent. Its address must not change.
class Connection {
 public:
  /// Throws roce::Error (Resource).
  Connection(const Worker& worker, const RemoteEnd& remote, int my_rank);
  ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Sends. False when too many are under way or the connection is broken. `source` must stay until
  /// flushed().
  bool send(MessageKind kind, std::size_t flag_offset, const std::byte* source, std::size_t bytes,
            Flag epoch) noexcept;
  /// True when no message is under way.
  [[nodiscard]] bool flushed() const noexcept { return free_count_ == most_under_way; }
  [[nodiscard]] bool broken() const noexcept { return status_ != UCS_OK; }
  [[nodiscard]] ucs_status_t status() const noexcept { return status_; }
  /// A message was refused or lost because the connection is broken.
  [[nodiscard]] bool lost_message() const noexcept { return lost_message_; }

  void greet() noexcept { greeted_ = true; }
  void leave() noexcept { left_ = true; }
  /// The peer's Hello has come.
  [[nodiscard]] bool greeted() const noexcept { return greeted_; }
  /// The peer's Leave has come.
  [[nodiscard]] bool left() const noexcept { return left_; }

  [[nodiscard]] int peer() const noexcept { return peer_; }
  [[nodiscard]] const Endpoint& endpoint() const noexcept { return endpoint_; }
  /// Asks UCX what it took to reach the peer, for device().
  void look_up_device() { device_ = endpoint_.device(); }
  [[nodiscard]] const std::string& device() const noexcept { return device_; }

 private:
  static constexpr std::size_t most_under_way = 64;
  struct Send {
    Connection* connection = nullptr;
    MessageHeader header;
  };
  static void on_error(void* argument, ucp_ep_h endpoint, ucs_status_t status) noexcept;
  static void on_sent(void* request, ucs_status_t status, void* argument) noexcept;
  void release(Send& send) noexcept { free_[free_count_++] = &send; }
  void lose(ucs_status_t status) noexcept;

  int peer_;
  decltype(Library::am_send_nbx) send_;
  decltype(Library::request_free) free_request_;
  std::array<Send, most_under_way> sends_;
  std::array<Send*, most_under_way> free_{};
  std::size_t free_count_ = 0;
  ucs_status_t status_ = UCS_OK;
  bool lost_message_ = false;
  bool greeted_ = false;
  bool left_ = false;
  std::string device_;
  Endpoint endpoint_;  ///< ends first: that completes what is under way
};

}  // namespace roce::transport::ucx

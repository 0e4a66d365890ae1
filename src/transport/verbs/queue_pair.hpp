// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "src/transport/verbs/explain.hpp"
#include "src/transport/verbs/port_info.hpp"
#include "src/transport/verbs/queues.hpp"

namespace roce::transport::verbs {

/// What a queue pair is told about the way to its peer.
struct Route {
  std::uint8_t local_port = 1;
  std::uint8_t local_gid_index = 0;
  int path_mtu = 0;  ///< bytes: the lesser of both ends' active MTU
  std::uint8_t traffic_class = 0;
  std::uint8_t ack_timeout = 0;  ///< exponent: 4.096 us * 2^n
  std::uint8_t retry_count = 0;  ///< at most 6: Soft-RoCE takes 7 for ever, as rnr_retry
  std::uint32_t local_psn = 0;
  GidBytes remote_gid{};
  std::uint32_t remote_number = 0;
  std::uint32_t remote_psn = 0;
};

/// A reliable connected queue pair. Move-only; must not outlive what it was made with.
class QueuePair {
 public:
  /// Most requests that were posted and not retired.
  static constexpr std::size_t depth = 64;
  /// A source, a gap and a flag.
  static constexpr std::size_t pieces = 3;

  /// `receives` may be null where no receive is ever consumed. Throws roce::Error (Resource).
  QueuePair(const Context& context, const ProtectionDomain& domain, const CompletionQueue& sends,
            const CompletionQueue& completed_receives, const SharedReceiveQueue* receives);

  [[nodiscard]] ibv_qp* get() const noexcept { return handle_.get(); }
  [[nodiscard]] std::uint32_t number() const noexcept { return handle_->qp_num; }
  /// Bytes that a request can carry in itself.
  [[nodiscard]] std::size_t max_inline() const noexcept { return max_inline_; }

  /// Takes it from RESET to ready to send. The peer must have posted its receives. Throws
  /// roce::Error (Resource) with explain_modify()'s sentence.
  void connect(const Route& route, const LinkText& link);
  /// Whether the device promises to place the bytes of a write in order. Once connected.
  [[nodiscard]] bool places_in_order() const noexcept;

 private:
  void modify(ibv_qp_attr& attributes, int mask, const char* state, const LinkText& link);

  Handle<ibv_qp, &Library::destroy_qp> handle_;
  std::size_t max_inline_ = 0;
};

/// The exponent n of the shortest 4.096 us * 2^n that is not below `timeout`; 1 to 31.
[[nodiscard]] std::uint8_t ack_timeout_exponent(std::chrono::microseconds timeout) noexcept;

}  // namespace roce::transport::verbs

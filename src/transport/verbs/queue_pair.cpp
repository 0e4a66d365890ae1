// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/queue_pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "roce/status.hpp"
#include "src/transport/verbs/put_layout.hpp"

namespace roce::transport::verbs {
namespace {

/// Packets may not cross a router as long as they stay on link, so any limit does.
constexpr std::uint8_t hop_limit = 64;
constexpr int attempts = 3;

/// All lines of a striped payload; else what a device may have at least. 0 works everywhere.
constexpr std::size_t inline_wishes[] = {longest_image, 128, 64, 0};

ibv_mtu mtu_code(int bytes) noexcept {
  if (bytes >= 4096) return IBV_MTU_4096;
  if (bytes >= 2048) return IBV_MTU_2048;
  if (bytes >= 1024) return IBV_MTU_1024;
  return bytes >= 512 ? IBV_MTU_512 : IBV_MTU_256;
}

}  // namespace

QueuePair::QueuePair(const Context& context, const ProtectionDomain& domain,
                     const CompletionQueue& sends, const CompletionQueue& completed_receives,
                     const SharedReceiveQueue* receives) {
  ibv_qp_init_attr attributes{};
  int error = 0;
  for (const std::size_t wish : inline_wishes) {
    attributes = {};
    attributes.send_cq = sends.get();
    attributes.recv_cq = completed_receives.get();
    attributes.srq = receives == nullptr ? nullptr : receives->get();
    attributes.qp_type = IBV_QPT_RC;
    attributes.cap.max_send_wr = depth;
    attributes.cap.max_send_sge = pieces;
    attributes.cap.max_recv_wr = receives == nullptr ? 1 : 0;
    attributes.cap.max_recv_sge = receives == nullptr ? 1 : 0;
    attributes.cap.max_inline_data = static_cast<std::uint32_t>(wish);
    handle_.reset(library().create_qp(domain.get(), &attributes));
    if (handle_ != nullptr) break;
    error = errno;
  }
  if (handle_ == nullptr) {
    throw Error(ErrorCode::Resource,
                fmt::format("ibv_create_qp with {}: {}; check the limit of locked memory (`ulimit "
                            "-l`) and how many queue pairs are in use (`rdma resource show`)",
                            context.device(), errno_text(error)));
  }
  max_inline_ = attributes.cap.max_inline_data;
}

void QueuePair::modify(ibv_qp_attr& attributes, int mask, const char* state, const LinkText& link) {
  int error = ETIMEDOUT;
  // The kernel asks once for the peer's Ethernet address, and a lost packet must not end that.
  for (int attempt = 0; attempt < attempts && error == ETIMEDOUT; ++attempt) {
    error = library().modify_qp(handle_.get(), &attributes, mask);
    // Some versions of the library return -1 and set errno.
    if (error < 0) error = errno;
  }
  if (error != 0) throw Error(ErrorCode::Resource, explain_modify(link, state, error));
}

void QueuePair::connect(const Route& route, const LinkText& link) {
  ibv_qp_attr init{};
  init.qp_state = IBV_QPS_INIT;
  init.port_num = route.local_port;
  init.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
  modify(init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, "INIT", link);

  ibv_qp_attr rtr{};
  rtr.qp_state = IBV_QPS_RTR;
  rtr.path_mtu = mtu_code(route.path_mtu);
  rtr.dest_qp_num = route.remote_number;
  rtr.rq_psn = route.remote_psn;
  rtr.max_dest_rd_atomic = 1;
  rtr.min_rnr_timer = 1;
  rtr.ah_attr.is_global = 1;
  rtr.ah_attr.port_num = route.local_port;
  std::ranges::copy(route.remote_gid, rtr.ah_attr.grh.dgid.raw);
  rtr.ah_attr.grh.sgid_index = route.local_gid_index;
  rtr.ah_attr.grh.hop_limit = hop_limit;
  rtr.ah_attr.grh.traffic_class = route.traffic_class;
  modify(rtr,
         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
         "RTR", link);

  ibv_qp_attr rts{};
  rts.qp_state = IBV_QPS_RTS;
  rts.sq_psn = route.local_psn;
  rts.timeout = route.ack_timeout;
  rts.retry_cnt = route.retry_count;
  rts.rnr_retry = 0;  // a receiver that is not ready is an error, never flow control
  rts.max_rd_atomic = 1;
  modify(rts,
         IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
             IBV_QP_MAX_QP_RD_ATOMIC,
         "RTS", link);
}

bool QueuePair::places_in_order() const noexcept {
  const Library* const functions = loaded_library().functions.get();
  if (functions->query_qp_data_in_order == nullptr) return false;
  return functions->query_qp_data_in_order(handle_.get(), IBV_WR_RDMA_WRITE, 0) == 1;
}

std::uint8_t ack_timeout_exponent(std::chrono::microseconds timeout) noexcept {
  constexpr std::uint8_t most = 31;
  std::uint8_t exponent = 1;
  while (exponent < most &&
         (std::uint64_t{4096} << exponent) < static_cast<std::uint64_t>(timeout.count()) * 1000) {
    ++exponent;
  }
  return exponent;
}

}  // namespace roce::transport::verbs

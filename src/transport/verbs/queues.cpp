// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/queues.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "roce/status.hpp"
#include "src/transport/verbs/explain.hpp"

namespace roce::transport::verbs {
namespace {

ibv_srq* create_srq(const ProtectionDomain& domain, std::size_t receives) {
  ibv_srq_init_attr attributes{};
  attributes.attr.max_wr = static_cast<std::uint32_t>(receives);
  attributes.attr.max_sge = 1;
  return library().create_srq(domain.get(), &attributes);
}

}  // namespace

CompletionQueue::CompletionQueue(const Context& context, std::size_t entries)
    : handle_(library().create_cq(context.get(), static_cast<int>(entries), nullptr, nullptr, 0)) {
  if (handle_ != nullptr) return;
  throw Error(ErrorCode::Resource, fmt::format("ibv_create_cq of {} entries with {}: {}", entries,
                                               context.device(), errno_text(errno)));
}

SharedReceiveQueue::SharedReceiveQueue(const Context& context, const ProtectionDomain& domain,
                                       std::size_t receives)
    : handle_(create_srq(domain, receives)) {
  if (handle_ != nullptr) return;
  throw Error(ErrorCode::Resource,
              fmt::format("ibv_create_srq of {} receives with {}: {}; ROCE_FLAG_MODE=flag needs "
                          "none, and a smaller ROCE_SLOT_MEMORY fewer",
                          receives, context.device(), errno_text(errno)));
}

int SharedReceiveQueue::post(std::size_t count) noexcept {
  constexpr std::size_t batch = 32;
  std::array<ibv_recv_wr, batch> requests{};
  for (std::size_t i = 0; i + 1 < batch; ++i) requests[i].next = &requests[i + 1];
  while (count > 0) {
    const std::size_t now = std::min(count, batch);
    ibv_recv_wr* const last = &requests[now - 1];
    ibv_recv_wr* const after = last->next;
    last->next = nullptr;
    ibv_recv_wr* refused = nullptr;
    const int error = ibv_post_srq_recv(handle_.get(), requests.data(), &refused);
    last->next = after;
    if (error != 0) return error;
    count -= now;
  }
  return 0;
}

}  // namespace roce::transport::verbs

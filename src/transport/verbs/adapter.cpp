// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/adapter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "roce/status.hpp"
#include "src/transport/verbs/explain.hpp"
#include "src/transport/verbs/queue_pair.hpp"

namespace roce::transport::verbs {
namespace {

void require_room(const Context& context, std::size_t receives) {
  const ibv_device_attr attributes = context.attributes();
  const auto most =
      static_cast<std::size_t>(std::max(std::min(attributes.max_srq_wr, attributes.max_cqe), 0));
  if (receives <= most) return;
  throw Error(
      ErrorCode::Unsupported,
      fmt::format("ROCE_FLAG_MODE=imm (or auto) needs {} receives for this slot memory, and "
                  "{} has {}; set a smaller ROCE_SLOT_MEMORY or ROCE_FLAG_MODE=flag",
                  receives, context.device(), most));
}

}  // namespace

Adapter::Adapter(const std::string& device, const Needs& needs)
    : context_(device),
      domain_(context_),
      slots_(context_, domain_, needs.slots, MemoryRegion::Access::PeersWrite),
      // A broken queue pair reports every request, signalled or not.
      sends_(context_, std::max(needs.connections, std::size_t{1}) * QueuePair::depth),
      completed_receives_((require_room(context_, needs.receives), context_),
                          std::max(needs.receives, std::size_t{1})) {
  if (needs.receives == 0) return;
  receives_.emplace(context_, domain_, needs.receives);
  const int error = receives_->post(needs.receives);
  if (error == 0) return;
  throw Error(ErrorCode::Resource, fmt::format("ibv_post_srq_recv of {} receives with {}: {}",
                                               needs.receives, device, errno_text(error)));
}

void Adapter::register_words(std::span<std::byte> words) {
  words_.emplace(context_, domain_, words, MemoryRegion::Access::Local);
}

}  // namespace roce::transport::verbs

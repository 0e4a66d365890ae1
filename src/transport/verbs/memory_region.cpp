// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/memory_region.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "roce/status.hpp"
#include "src/transport/verbs/explain.hpp"

namespace roce::transport::verbs {

ProtectionDomain::ProtectionDomain(const Context& context)
    : handle_(library().alloc_pd(context.get())) {
  if (handle_ != nullptr) return;
  throw Error(ErrorCode::Resource,
              fmt::format("ibv_alloc_pd of {}: {}", context.device(), errno_text(errno)));
}

MemoryRegion::MemoryRegion(const Context& context, const ProtectionDomain& domain,
                           std::span<std::byte> memory, Access access)
    // Relaxed ordering is an optional access flag and never set: flags must not overtake payloads.
    : handle_(library().reg_mr(
          domain.get(), memory.data(), memory.size(),
          access == Access::PeersWrite ? IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE : 0)) {
  if (handle_ != nullptr) return;
  throw Error(ErrorCode::Resource,
              fmt::format("ibv_reg_mr of {} bytes with {}: {}; check the limit of locked memory "
                          "(`ulimit -l`, in containers --ulimit memlock=-1) and ROCE_SLOT_MEMORY",
                          memory.size(), context.device(), errno_text(errno)));
}

}  // namespace roce::transport::verbs

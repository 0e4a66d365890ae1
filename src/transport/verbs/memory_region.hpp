// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/transport/verbs/context.hpp"

namespace roce::transport::verbs {

/// A protection domain of a device. Move-only; must not outlive the context.
class ProtectionDomain {
 public:
  /// Throws roce::Error (Resource).
  explicit ProtectionDomain(const Context& context);
  [[nodiscard]] ibv_pd* get() const noexcept { return handle_.get(); }

 private:
  Handle<ibv_pd, &Library::dealloc_pd> handle_;
};

/// Memory that a device may read, and that peers who know its key may write. Move-only; must not
/// outlive the domain or the memory.
class MemoryRegion {
 public:
  enum class Access : std::uint8_t { Local, PeersWrite };

  /// Pins the pages. Throws roce::Error (Resource) with what to do about the lock limit.
  MemoryRegion(const Context& context, const ProtectionDomain& domain, std::span<std::byte> memory,
               Access access);
  [[nodiscard]] std::uint32_t local_key() const noexcept { return handle_->lkey; }
  [[nodiscard]] std::uint32_t remote_key() const noexcept { return handle_->rkey; }

 private:
  Handle<ibv_mr, &Library::dereg_mr> handle_;
};

}  // namespace roce::transport::verbs

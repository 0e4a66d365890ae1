// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "src/transport/verbs/memory_region.hpp"

namespace roce::transport::verbs {

/// Where a device reports what has completed. Move-only; must not outlive the context.
class CompletionQueue {
 public:
  /// For `entries` completions that nobody has polled yet. Throws roce::Error (Resource).
  CompletionQueue(const Context& context, std::size_t entries);
  [[nodiscard]] ibv_cq* get() const noexcept { return handle_.get(); }
  /// Takes up to `room` completions; how many, or negative for a queue that is broken.
  [[nodiscard]] int poll(std::span<ibv_wc> room) noexcept {
    return ibv_poll_cq(handle_.get(), static_cast<int>(room.size()), room.data());
  }

 private:
  Handle<ibv_cq, &Library::destroy_cq> handle_;
};

/// Receives for writes with immediate data, shared by all queue pairs of a device. They have no
/// buffers, as the data goes where the write says. Move-only.
class SharedReceiveQueue {
 public:
  /// Throws roce::Error (Resource).
  SharedReceiveQueue(const Context& context, const ProtectionDomain& domain, std::size_t receives);
  [[nodiscard]] ibv_srq* get() const noexcept { return handle_.get(); }
  /// Posts `count` receives; 0, or errno.
  [[nodiscard]] int post(std::size_t count) noexcept;

 private:
  Handle<ibv_srq, &Library::destroy_srq> handle_;
};

}  // namespace roce::transport::verbs

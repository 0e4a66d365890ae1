// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "src/transport/ucx/library.hpp"

namespace roce::transport::ucx {

/// UCX's settings, read from its UCX_ variables, and the devices that they allow. Move-only.
class Context {
 public:
  /// `peers` is how many endpoints there will be. Throws roce::Error: Unsupported without a
  /// library, Resource when UCX finds nothing that it could use.
  explicit Context(std::size_t peers);
  [[nodiscard]] ucp_context_h get() const noexcept { return context_.get(); }

 private:
  struct Cleanup {
    void operator()(ucp_context_h context) const noexcept;
  };
  std::unique_ptr<ucp_context, Cleanup> context_;
};

/// Where messages come in and what makes them move. One thread at a time. Move-only.
class Worker {
 public:
  /// The context must outlive the worker. Throws roce::Error (Resource).
  explicit Worker(const Context& context);

  /// What a peer needs to reach this worker over a network. Throws roce::Error (Resource).
  [[nodiscard]] std::vector<std::byte> address() const;
  /// Has `callback(argument, ...)` called for each message, by progress(). Throws roce::Error.
  void receive(ucp_am_recv_callback_t callback, void* argument) const;
  /// Moves what can be moved; false when nothing did.
  bool progress() const noexcept { return progress_(worker_.get()) != 0; }
  [[nodiscard]] ucp_worker_h get() const noexcept { return worker_.get(); }

 private:
  struct Destroy {
    void operator()(ucp_worker_h worker) const noexcept;
  };
  std::unique_ptr<ucp_worker, Destroy> worker_;
  decltype(Library::worker_progress) progress_;
};

/// The only active message; what it is for stands in its header.
inline constexpr unsigned message_id = 0;

}  // namespace roce::transport::ucx

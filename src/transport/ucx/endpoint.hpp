// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "src/transport/ucx/worker.hpp"

namespace roce::transport::ucx {

/// An operation under way, or done at once. Move-only; one that is dropped goes on by itself.
class Request {
 public:
  Request() = default;
  explicit Request(ucs_status_ptr_t returned) noexcept
      : request_(UCS_PTR_IS_PTR(returned) ? returned : nullptr) {}
  [[nodiscard]] bool done() const noexcept;

 private:
  struct Free {
    void operator()(void* request) const noexcept;
  };
  std::unique_ptr<void, Free> request_;
};

/// My end of a connection to one peer's worker. Ends by force, within a moment, as what is under
/// way is of no use any more. Move-only.
class Endpoint {
 public:
  /// `worker` must outlive the endpoint. `on_error(argument, ...)` is called by the worker's
  /// progress when the connection breaks. Throws roce::Error (Resource).
  Endpoint(const Worker& worker, std::span<const std::byte> address, ucp_err_handler_cb_t on_error,
           void* argument);

  [[nodiscard]] ucp_ep_h get() const noexcept { return endpoint_.get(); }
  /// Done once all that was sent has left.
  [[nodiscard]] Request flush() const noexcept;
  /// What UCX chose for small messages, for example "tcp/eth0"; empty where it does not say.
  [[nodiscard]] std::string device() const;

 private:
  struct Close {
    const Worker* worker;
    void operator()(ucp_ep_h endpoint) const noexcept;
  };
  std::unique_ptr<ucp_ep, Close> endpoint_;
};

}  // namespace roce::transport::ucx

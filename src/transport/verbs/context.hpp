// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "src/transport/verbs/handle.hpp"

namespace roce::transport::verbs {

/// An opened device. Its file of asynchronous events does not block. Move-only.
class Context {
 public:
  /// Opens a device by its name. Throws roce::Error (Resource) naming device, errno text and what
  /// to do.
  explicit Context(const std::string& device);

  [[nodiscard]] ibv_context* get() const noexcept { return handle_.get(); }
  [[nodiscard]] const std::string& device() const noexcept { return device_; }
  /// Throws roce::Error (Resource).
  [[nodiscard]] ibv_device_attr attributes() const;

 private:
  std::string device_;
  Handle<ibv_context, &Library::close_device> handle_;
};

/// The names of the devices that libibverbs knows, in order. Throws roce::Error (Resource, or
/// Unsupported without a library).
[[nodiscard]] std::vector<std::string> device_names();

}  // namespace roce::transport::verbs

// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/context.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "roce/status.hpp"
#include "src/transport/verbs/explain.hpp"

namespace roce::transport::verbs {
namespace {

/// The list of devices that the library hands out.
class DeviceList {
 public:
  DeviceList() : devices_(library().get_device_list(&count_)) {
    if (devices_ != nullptr) return;
    throw Error(ErrorCode::Resource,
                fmt::format("ibv_get_device_list: {}; is the module ib_uverbs loaded, and does "
                            "/dev/infiniband exist (in containers: --device /dev/infiniband)?",
                            errno_text(errno)));
  }
  ~DeviceList() { library().free_device_list(devices_); }
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;

  [[nodiscard]] std::vector<ibv_device*> all() const { return {devices_, devices_ + count_}; }

 private:
  int count_ = 0;
  ibv_device** devices_;
};

ibv_context* open(const std::string& device) {
  const DeviceList list;
  for (ibv_device* const candidate : list.all()) {
    if (library().get_device_name(candidate) != device) continue;
    ibv_context* const context = library().open_device(candidate);
    if (context != nullptr) return context;
    throw Error(ErrorCode::Resource,
                fmt::format("ibv_open_device of {}: {}; check the rights on /dev/infiniband (in "
                            "containers: --device /dev/infiniband)",
                            device, errno_text(errno)));
  }
  throw Error(ErrorCode::Resource, fmt::format("the RDMA device {} is gone", device));
}

}  // namespace

Context::Context(const std::string& device) : device_(device), handle_(open(device)) {
  const int flags = ::fcntl(handle_->async_fd, F_GETFL);
  if (flags >= 0 && ::fcntl(handle_->async_fd, F_SETFL, flags | O_NONBLOCK) == 0) return;
  throw Error(ErrorCode::Resource,
              fmt::format("fcntl of {}'s event file: {}", device, errno_text(errno)));
}

ibv_device_attr Context::attributes() const {
  ibv_device_attr attributes{};
  const int error = library().query_device(handle_.get(), &attributes);
  if (error == 0) return attributes;
  throw Error(ErrorCode::Resource,
              fmt::format("ibv_query_device of {}: {}", device_, errno_text(error)));
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  const DeviceList list;
  for (ibv_device* const device : list.all()) {
    names.emplace_back(library().get_device_name(device));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace roce::transport::verbs

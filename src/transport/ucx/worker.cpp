// SPDX-License-Identifier: Apache-2.0
#include "src/transport/ucx/worker.hpp"

#include <algorithm>

namespace roce::transport::ucx {
namespace {

struct ReleaseConfig {
  void operator()(ucp_config_t* config) const noexcept {
    loaded_library().functions->config_release(config);
  }
};

}  // namespace

Context::Context(std::size_t peers) {
  const Library& ucp = library();
  ucp_config_t* settings = nullptr;
  require_ok(ucp.config_read(nullptr, nullptr, &settings), "ucp_config_read");
  const std::unique_ptr<ucp_config_t, ReleaseConfig> config(settings);
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
  params.features = UCP_FEATURE_AM;
  params.estimated_num_eps = peers;
  ucp_context_h context = nullptr;
  require_ok(ucp.init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config.get(), &context),
             "ucp_init");
  context_.reset(context);
}

void Context::Cleanup::operator()(ucp_context_h context) const noexcept {
  loaded_library().functions->cleanup(context);
}

Worker::Worker(const Context& context) : progress_(library().worker_progress) {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  ucp_worker_h worker = nullptr;
  require_ok(library().worker_create(context.get(), &params, &worker), "ucp_worker_create");
  worker_.reset(worker);
}

void Worker::Destroy::operator()(ucp_worker_h worker) const noexcept {
  loaded_library().functions->worker_destroy(worker);
}

std::vector<std::byte> Worker::address() const {
  ucp_worker_attr_t attributes{};
  attributes.field_mask = UCP_WORKER_ATTR_FIELD_ADDRESS | UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS;
  // Ranks that can share memory do so without UCX; where they are told not to, they mean it.
  attributes.address_flags = UCP_WORKER_ADDRESS_FLAG_NET_ONLY;
  require_ok(library().worker_query(worker_.get(), &attributes), "ucp_worker_query");
  const auto* const bytes = reinterpret_cast<const std::byte*>(attributes.address);
  std::vector<std::byte> copy(attributes.address_length);
  std::copy_n(bytes, copy.size(), copy.begin());
  library().worker_release_address(worker_.get(), attributes.address);
  return copy;
}

void Worker::receive(ucp_am_recv_callback_t callback, void* argument) const {
  ucp_am_handler_param_t params{};
  params.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                      UCP_AM_HANDLER_PARAM_FIELD_ARG | UCP_AM_HANDLER_PARAM_FIELD_FLAGS;
  params.id = message_id;
  params.cb = callback;
  params.arg = argument;
  params.flags = UCP_AM_FLAG_WHOLE_MSG;
  require_ok(library().worker_set_am_recv_handler(worker_.get(), &params),
             "ucp_worker_set_am_recv_handler");
}

}  // namespace roce::transport::ucx

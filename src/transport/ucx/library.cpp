// SPDX-License-Identifier: Apache-2.0
#include "src/transport/ucx/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "roce/status.hpp"
#include "src/transport/symbols.hpp"

namespace roce::transport::ucx {
namespace {

constexpr const char* file = "libucp.so.0";

LoadedLibrary load() {
  void* const handle = ::dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    return {nullptr, fmt::format("cannot load {} ({}); install libucx0", file, load_error())};
  }
  auto functions = std::make_unique<Library>();
  Symbols symbols(handle);
  symbols.need("ucp_config_read", functions->config_read)
      .need("ucp_config_release", functions->config_release)
      .need("ucp_init_version", functions->init_version)
      .need("ucp_cleanup", functions->cleanup)
      .need("ucp_worker_create", functions->worker_create)
      .need("ucp_worker_destroy", functions->worker_destroy)
      .need("ucp_worker_query", functions->worker_query)
      .need("ucp_worker_release_address", functions->worker_release_address)
      .need("ucp_worker_progress", functions->worker_progress)
      .need("ucp_worker_set_am_recv_handler", functions->worker_set_am_recv_handler)
      .need("ucp_ep_create", functions->ep_create)
      .need("ucp_ep_close_nbx", functions->ep_close_nbx)
      .need("ucp_ep_flush_nbx", functions->ep_flush_nbx)
      .need("ucp_ep_print_info", functions->ep_print_info)
      .need("ucp_am_send_nbx", functions->am_send_nbx)
      .need("ucp_request_check_status", functions->request_check_status)
      .need("ucp_request_free", functions->request_free)
      .need("ucs_status_string", functions->status_string);
  if (!symbols.missing().empty()) {
    return {nullptr, fmt::format("{} has no {}: it is too old; UCX 1.12 or newer is needed", file,
                                 symbols.missing())};
  }
  return {std::move(functions), {}};
}

}  // namespace

const LoadedLibrary& loaded_library() {
  static const LoadedLibrary loaded = load();
  return loaded;
}

const Library& library() {
  const LoadedLibrary& loaded = loaded_library();
  if (loaded.functions == nullptr) throw Error(ErrorCode::Unsupported, loaded.reason);
  return *loaded.functions;
}

void require_ok(ucs_status_t status, const char* operation) {
  if (status == UCS_OK) return;
  throw Error(ErrorCode::Resource,
              fmt::format("{}: {}; check UCX_TLS and UCX_NET_DEVICES, and see what `ucx_info -d` "
                          "lists",
                          operation, library().status_string(status)));
}

}  // namespace roce::transport::ucx

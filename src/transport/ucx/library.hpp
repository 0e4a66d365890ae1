// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucp/api/ucp.h>

#include <memory>
#include <string>

namespace roce::transport::ucx {

/// libucp, loaded at run time, so that one binary works with and without it: the functions that are
/// used, by their names without "ucp_". Never unloaded, as UCX has threads and hooks of its own.
struct Library {
  decltype(&::ucp_config_read) config_read = nullptr;
  decltype(&::ucp_config_release) config_release = nullptr;
  decltype(&::ucp_init_version) init_version = nullptr;
  decltype(&::ucp_cleanup) cleanup = nullptr;
  decltype(&::ucp_worker_create) worker_create = nullptr;
  decltype(&::ucp_worker_destroy) worker_destroy = nullptr;
  decltype(&::ucp_worker_query) worker_query = nullptr;
  decltype(&::ucp_worker_release_address) worker_release_address = nullptr;
  decltype(&::ucp_worker_progress) worker_progress = nullptr;
  decltype(&::ucp_worker_set_am_recv_handler) worker_set_am_recv_handler = nullptr;
  decltype(&::ucp_ep_create) ep_create = nullptr;
  decltype(&::ucp_ep_close_nbx) ep_close_nbx = nullptr;
  decltype(&::ucp_ep_flush_nbx) ep_flush_nbx = nullptr;
  decltype(&::ucp_ep_print_info) ep_print_info = nullptr;
  decltype(&::ucp_am_send_nbx) am_send_nbx = nullptr;
  decltype(&::ucp_request_check_status) request_check_status = nullptr;
  decltype(&::ucp_request_free) request_free = nullptr;
  decltype(&::ucs_status_string) status_string = nullptr;
};

/// The library, or why there is none. Loaded by the first call. Thread-safe.
struct LoadedLibrary {
  std::unique_ptr<const Library> functions;  ///< null without a library
  std::string reason;
};
[[nodiscard]] const LoadedLibrary& loaded_library();

/// The functions; throws roce::Error (Unsupported) without a library.
[[nodiscard]] const Library& library();

/// Throws roce::Error (Resource) naming `operation` and the status, unless that is UCS_OK.
void require_ok(ucs_status_t status, const char* operation);

}  // namespace roce::transport::ucx

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <infiniband/verbs.h>

#include <memory>
#include <string>

namespace roce::transport::verbs {

/// libibverbs, loaded at run time, so that one binary works with and without it: the functions that
/// are used, by their names without "ibv_". What libibverbs defines in its header (ibv_post_send,
/// ibv_poll_cq) needs no entry. Never unloaded, as providers do not expect it.
struct Library {
  // The names have no prefix because some are also function-like macros of the header.
  decltype(&::ibv_get_device_list) get_device_list = nullptr;
  decltype(&::ibv_free_device_list) free_device_list = nullptr;
  decltype(&::ibv_get_device_name) get_device_name = nullptr;
  decltype(&::ibv_open_device) open_device = nullptr;
  decltype(&::ibv_close_device) close_device = nullptr;
  decltype(&::ibv_query_device) query_device = nullptr;
  decltype(&::ibv_query_port) query_port_compat = nullptr;
  decltype(&::ibv_query_gid) query_gid = nullptr;
  decltype(&::_ibv_query_gid_table) query_gid_table = nullptr;
  decltype(&::ibv_alloc_pd) alloc_pd = nullptr;
  decltype(&::ibv_dealloc_pd) dealloc_pd = nullptr;
  decltype(&::ibv_reg_mr) reg_mr = nullptr;
  decltype(&::ibv_dereg_mr) dereg_mr = nullptr;
  decltype(&::ibv_create_cq) create_cq = nullptr;
  decltype(&::ibv_destroy_cq) destroy_cq = nullptr;
  decltype(&::ibv_create_srq) create_srq = nullptr;
  decltype(&::ibv_destroy_srq) destroy_srq = nullptr;
  decltype(&::ibv_create_qp) create_qp = nullptr;
  decltype(&::ibv_modify_qp) modify_qp = nullptr;
  decltype(&::ibv_destroy_qp) destroy_qp = nullptr;
  decltype(&::ibv_get_async_event) get_async_event = nullptr;
  decltype(&::ibv_ack_async_event) ack_async_event = nullptr;
  decltype(&::ibv_wc_status_str) wc_status_str = nullptr;
  decltype(&::ibv_event_type_str) event_type_str = nullptr;
  /// Null where the library is older than rdma-core 41.
  decltype(&::ibv_query_qp_data_in_order) query_qp_data_in_order = nullptr;

  /// ibv_query_port, which its header may turn into a call of the provider.
  int query_port(ibv_context* context, std::uint8_t port, ibv_port_attr& attributes) const noexcept;
};

/// The library, or why there is none. Loaded by the first call. Thread-safe.
struct LoadedLibrary {
  std::unique_ptr<const Library> functions;  ///< null without a library
  std::string reason;
};
[[nodiscard]] const LoadedLibrary& loaded_library();

/// The functions. Only for what works with an object made by them; throws roce::Error (Unsupported)
/// without a library.
[[nodiscard]] const Library& library();

}  // namespace roce::transport::verbs

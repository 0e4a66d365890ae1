// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>

#include "roce/status.hpp"
#include "src/transport/symbols.hpp"

namespace roce::transport::verbs {
namespace {

constexpr const char* file = "libibverbs.so.1";

LoadedLibrary load() {
  void* const handle = ::dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    return {nullptr, fmt::format("cannot load {} ({}); install libibverbs1 and ibverbs-providers",
                                 file, load_error())};
  }
  auto functions = std::make_unique<Library>();
  Symbols symbols(handle);
  symbols.need("ibv_get_device_list", functions->get_device_list)
      .need("ibv_free_device_list", functions->free_device_list)
      .need("ibv_get_device_name", functions->get_device_name)
      .need("ibv_open_device", functions->open_device)
      .need("ibv_close_device", functions->close_device)
      .need("ibv_query_device", functions->query_device)
      .need("ibv_query_port", functions->query_port_compat)
      .need("ibv_query_gid", functions->query_gid)
      .need("_ibv_query_gid_table", functions->query_gid_table)
      .need("ibv_alloc_pd", functions->alloc_pd)
      .need("ibv_dealloc_pd", functions->dealloc_pd)
      .need("ibv_reg_mr", functions->reg_mr)
      .need("ibv_dereg_mr", functions->dereg_mr)
      .need("ibv_create_cq", functions->create_cq)
      .need("ibv_destroy_cq", functions->destroy_cq)
      .need("ibv_create_srq", functions->create_srq)
      .need("ibv_destroy_srq", functions->destroy_srq)
      .need("ibv_create_qp", functions->create_qp)
      .need("ibv_modify_qp", functions->modify_qp)
      .need("ibv_destroy_qp", functions->destroy_qp)
      .need("ibv_get_async_event", functions->get_async_event)
      .need("ibv_ack_async_event", functions->ack_async_event)
      .need("ibv_wc_status_str", functions->wc_status_str)
      .need("ibv_event_type_str", functions->event_type_str)
      .optional("ibv_query_qp_data_in_order", functions->query_qp_data_in_order);
  if (!symbols.missing().empty()) {
    return {nullptr, fmt::format("{} has no {}: it is too old; rdma-core 32 or newer is needed",
                                 file, symbols.missing())};
  }
  return {std::move(functions), {}};
}

}  // namespace

int Library::query_port(ibv_context* context, std::uint8_t port,
                        ibv_port_attr& attributes) const noexcept {
  attributes = {};
  verbs_context* const extended = verbs_get_ctx_op(context, query_port);
  if (extended != nullptr) {
    return extended->query_port(context, port, &attributes, sizeof attributes);
  }
  return query_port_compat(context, port, reinterpret_cast<_compat_ibv_port_attr*>(&attributes));
}

const LoadedLibrary& loaded_library() {
  static const LoadedLibrary loaded = load();
  return loaded;
}

const Library& library() {
  const LoadedLibrary& loaded = loaded_library();
  if (loaded.functions == nullptr) throw Error(ErrorCode::Unsupported, loaded.reason);
  return *loaded.functions;
}

}  // namespace roce::transport::verbs

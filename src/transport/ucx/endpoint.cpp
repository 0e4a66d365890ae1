// SPDX-License-Identifier: Apache-2.0
#include "src/transport/ucx/endpoint.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace roce::transport::ucx {
namespace {

constexpr std::chrono::milliseconds longest_close{250};

const Library& functions() noexcept { return *loaded_library().functions; }

/// "tcp/eth0" out of a line such as "#   lane[0]:  1:tcp/eth0.0 md[1]  -> md[1]/tcp/sysdev[255]".
std::string device_in(std::string_view text) {
  constexpr std::string_view mark = "lane[0]:";
  const std::size_t lane = text.find(mark);
  if (lane == std::string_view::npos) return {};
  text = text.substr(lane + mark.size());
  text = text.substr(0, text.find('\n'));
  const std::size_t begin = text.find(':');
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin + 1);
  text = text.substr(0, text.find(' '));
  // The last part is the number of a path through the device.
  return std::string(text.substr(0, text.rfind('.')));
}

}  // namespace

bool Request::done() const noexcept {
  return request_ == nullptr || functions().request_check_status(request_.get()) != UCS_INPROGRESS;
}

void Request::Free::operator()(void* request) const noexcept { functions().request_free(request); }

Endpoint::Endpoint(const Worker& worker, std::span<const std::byte> address,
                   ucp_err_handler_cb_t on_error, void* argument)
    : endpoint_(nullptr, Close{&worker}) {
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<const ucp_address_t*>(address.data());
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb = on_error;
  params.err_handler.arg = argument;
  ucp_ep_h endpoint = nullptr;
  require_ok(library().ep_create(worker.get(), &params, &endpoint), "ucp_ep_create");
  endpoint_.reset(endpoint);
}

void Endpoint::Close::operator()(ucp_ep_h endpoint) const noexcept {
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_EP_CLOSE_FLAG_FORCE;
  const Request closing(functions().ep_close_nbx(endpoint, &param));
  const auto deadline = std::chrono::steady_clock::now() + longest_close;
  while (!closing.done() && std::chrono::steady_clock::now() < deadline) {
    if (!worker->progress()) std::this_thread::yield();
  }
}

Request Endpoint::flush() const noexcept {
  const ucp_request_param_t param{};
  return Request(functions().ep_flush_nbx(endpoint_.get(), &param));
}

std::string Endpoint::device() const {
  char* buffer = nullptr;
  std::size_t length = 0;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(::open_memstream(&buffer, &length),
                                                       &std::fclose);
  if (file == nullptr) return {};
  functions().ep_print_info(endpoint_.get(), file.get());
  file.reset();  // only then are buffer and length set
  const std::unique_ptr<char, decltype(&std::free)> text(buffer, &std::free);
  return device_in({buffer, length});
}

}  // namespace roce::transport::ucx

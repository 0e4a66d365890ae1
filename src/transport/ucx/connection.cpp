// SPDX-License-Identifier: Apache-2.0
#include "src/transport/ucx/connection.hpp"

namespace roce::transport::ucx {

Connection::Connection(const Worker& worker, const RemoteEnd& remote, int my_rank)
    : peer_(remote.rank),
      send_(library().am_send_nbx),
      free_request_(library().request_free),
      endpoint_(worker, remote.address, &Connection::on_error, this) {
  for (Send& send : sends_) {
    send.connection = this;
    send.header.token = remote.token;
    send.header.sender = static_cast<std::uint32_t>(my_rank);
    release(send);
  }
}

bool Connection::send(MessageKind kind, std::size_t flag_offset, const std::byte* source,
                      std::size_t bytes, Flag epoch) noexcept {
  if (broken()) {
    lost_message_ = true;
    return false;
  }
  if (free_count_ == 0) return false;
  Send& send = *free_[--free_count_];
  send.header.kind = kind;
  send.header.flag_offset = flag_offset;
  send.header.epoch = epoch;
  ucp_request_param_t param;  // the fields that its mask names are filled
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                       UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.cb.send = &Connection::on_sent;
  param.user_data = &send;
  // Eager at any size: the receiver knows where it belongs, so there is nothing to negotiate.
  param.flags = UCP_AM_SEND_FLAG_EAGER;
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  void* const request =
      send_(endpoint_.get(), message_id, &send.header, sizeof send.header, source, bytes, &param);
  if (UCS_PTR_IS_PTR(request)) return true;  // on_sent() will be called
  release(send);
  if (request == nullptr) return true;
  lose(UCS_PTR_STATUS(request));
  return false;
}

void Connection::lose(ucs_status_t status) noexcept {
  if (!broken()) status_ = status;
  lost_message_ = true;
}

void Connection::on_sent(void* request, ucs_status_t status, void* argument) noexcept {
  Send& send = *static_cast<Send*>(argument);
  Connection& connection = *send.connection;
  if (status != UCS_OK) connection.lose(status);
  connection.release(send);
  connection.free_request_(request);
}

void Connection::on_error(void* argument, ucp_ep_h /*endpoint*/, ucs_status_t status) noexcept {
  auto& connection = *static_cast<Connection*>(argument);
  if (!connection.broken()) connection.status_ = status;
}

}  // namespace roce::transport::ucx

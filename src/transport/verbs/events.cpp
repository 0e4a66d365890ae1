// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/transport/verbs/gid_table.hpp"

namespace roce::transport::verbs {
namespace {

/// Empty while the connection's GID is where it was.
std::string check_gid(const Connection& connection) {
  const EndText& local = connection.link().local;
  ::ibv_gid now{};
  const int error = library().query_gid(connection.adapter().context().get(), connection.port(),
                                        local.gid_index, &now);
  if (error == 0 && std::ranges::equal(now.raw, connection.gid())) return {};
  int moved_to = -1;
  for (const ibv_gid_entry& entry : gid_table(connection.adapter().context())) {
    if (entry.port_num == connection.port() && entry.gid_type == IBV_GID_TYPE_ROCE_V2 &&
        std::ranges::equal(entry.gid.raw, connection.gid())) {
      moved_to = static_cast<int>(entry.gid_index);
    }
  }
  if (moved_to >= 0) {
    return fmt::format(
        "the GID {} of {} moved from index {} to {} while connected to {}; make a new "
        "communicator, which finds the new index",
        local.gid, local.port, local.gid_index, moved_to, to_string(connection.link()));
  }
  return fmt::format(
      "the GID {} has gone from index {} of {} while connected to {}; did {} lose its "
      "address? Give it back and make a new communicator",
      local.gid, local.gid_index, local.port, to_string(connection.link()), local.netdev);
}

/// Empty when the port is up again.
std::string check_port(const Connection& connection) {
  ibv_port_attr port{};
  const int error =
      library().query_port(connection.adapter().context().get(), connection.port(), port);
  if (error == 0 && port.state == IBV_PORT_ACTIVE) return {};
  const EndText& local = connection.link().local;
  return fmt::format("{} went down while connected to {}; check the cable and `ip link show {}`",
                     local.port, to_string(connection.link()), local.netdev);
}

bool is_of_this(const Event& event, const Connection& connection) {
  return event.queue_pair == connection.queue_pair().number();
}

}  // namespace

std::optional<Event> next_event(const Context& context) noexcept {
  const Library& functions = *loaded_library().functions;
  ibv_async_event raw{};
  if (functions.get_async_event(context.get(), &raw) != 0) return std::nullopt;
  Event event{.type = raw.event_type};
  switch (raw.event_type) {
    case IBV_EVENT_PORT_ACTIVE:
    case IBV_EVENT_PORT_ERR:
    case IBV_EVENT_GID_CHANGE:
      event.port = raw.element.port_num;
      break;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
      event.queue_pair = raw.element.qp->qp_num;
      break;
    default:
      break;
  }
  functions.ack_async_event(&raw);
  return event;
}

std::string explain_loss(const Connection& connection) {
  std::string text = check_port(connection);
  return text.empty() ? check_gid(connection) : text;
}

std::string explain_event(const Event& event, const Connection& connection) {
  const LinkText& link = connection.link();
  const std::string name = library().event_type_str(event.type);
  switch (event.type) {
    case IBV_EVENT_GID_CHANGE:
      return event.port == connection.port() ? check_gid(connection) : std::string();
    case IBV_EVENT_PORT_ERR:
      return event.port == connection.port() ? check_port(connection) : std::string();
    case IBV_EVENT_DEVICE_FATAL:
    case IBV_EVENT_CQ_ERR:
    case IBV_EVENT_SRQ_ERR:
    case IBV_EVENT_WQ_FATAL:
      return fmt::format("{} failed ({}) while connected to {}; check `dmesg` for its driver",
                         link.local.port, name, to_string(link));
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
      if (!is_of_this(event, connection)) return {};
      return fmt::format(
          "the connection to {} failed ({}); do both ranks run the same version with "
          "the same settings? Check `dmesg` on both hosts",
          to_string(link), name);
    default:
      return {};
  }
}

}  // namespace roce::transport::verbs

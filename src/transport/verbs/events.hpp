// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/transport/verbs/connection.hpp"
#include "src/transport/verbs/context.hpp"

namespace roce::transport::verbs {

/// Something that a device tells unasked.
struct Event {
  ibv_event_type type = IBV_EVENT_DEVICE_FATAL;
  int port = 0;                  ///< of events of a port
  std::uint32_t queue_pair = 0;  ///< number, of events of a queue pair
};

/// The device's next event, taken and acknowledged; empty when there is none. One system call.
[[nodiscard]] std::optional<Event> next_event(const Context& context) noexcept;

/// What an event of the connection's device means for it, and what to check; empty when the
/// connection goes on: not concerned, or, looked at again, its port and GID are as they were.
[[nodiscard]] std::string explain_event(const Event& event, const Connection& connection);

/// What the connection's port or GID has lost, as explain_event() says it; empty when both are as
/// they were. A look for the cause of a failed completion, whose status often hides it.
[[nodiscard]] std::string explain_loss(const Connection& connection);

}  // namespace roce::transport::verbs

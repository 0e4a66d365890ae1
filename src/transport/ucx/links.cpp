// SPDX-License-Identifier: Apache-2.0
#include "src/transport/ucx/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "roce/status.hpp"
#include "src/transport/slot_write.hpp"

namespace roce::transport::ucx {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds longest_leave{1000};
constexpr milliseconds longest_first_flush{1000};

std::uint64_t random_token() {
  std::random_device random;
  constexpr unsigned half = 32;
  return (std::uint64_t{random()} << half) | random();
}

/// Progresses until `done()`; false when it is not by the deadline.
template <typename Done>
bool progress_until(const Worker& worker, Clock::time_point deadline, Done done) {
  while (!done()) {
    if (Clock::now() >= deadline) return false;
    if (!worker.progress()) std::this_thread::yield();
  }
  return true;
}

}  // namespace

Links::Links(int rank, int ranks, std::span<std::byte> memory, std::size_t peers)
    : rank_(rank),
      memory_(memory),
      token_(random_token()),
      context_(peers),
      worker_(context_),
      connections_(static_cast<std::size_t>(ranks)) {
  worker_.receive(&Links::on_message, this);
}

Links::~Links() {
  for (Connection* const connection : all_) {
    if (!connection->broken()) {
      static_cast<void>(connection->send(MessageKind::Leave, 0, nullptr, 0, 0));
    }
  }
  static_cast<void>(flush(longest_leave));
}

void Links::add(const RemoteEnd& remote) {
  auto& connection = connections_[static_cast<std::size_t>(remote.rank)];
  connection = std::make_unique<Connection>(worker_, remote, rank_);
  all_.push_back(connection.get());
}

void Links::greet_all(milliseconds timeout) {
  for (Connection* const connection : all_) {
    static_cast<void>(connection->send(MessageKind::Hello, 0, nullptr, 0, 0));
  }
  const auto settled = [](const Connection* connection) {
    return connection->broken() || (connection->greeted() && connection->flushed());
  };
  static_cast<void>(progress_until(worker_, Clock::now() + timeout,
                                   [&] { return std::ranges::all_of(all_, settled); }));
  std::string text;
  for (const Connection* connection : all_) {
    if (connection->greeted() && !connection->broken()) continue;
    const char* const why =
        connection->broken() ? library().status_string(connection->status()) : "no answer";
    text += fmt::format("{}rank {} ({})", text.empty() ? "" : ", ", connection->peer(), why);
  }
  if (!text.empty()) {
    throw Error(ErrorCode::Transport,
                fmt::format("UCX does not reach {}; check that the hosts reach each other on every "
                            "interface that UCX uses, and that no firewall is between; "
                            "UCX_NET_DEVICES names the interfaces to use",
                            text));
  }
  // My last words may still wait here, and the peers for them. That this is not over in time says
  // nothing: a peer that has all that it needs makes no progress any more.
  static_cast<void>(flush(longest_first_flush));
  for (Connection* const connection : all_) connection->look_up_device();
}

bool Links::flush(milliseconds timeout) const {
  std::vector<Request> requests;
  for (const Connection* connection : all_) {
    if (!connection->broken()) requests.push_back(connection->endpoint().flush());
  }
  return progress_until(worker_, Clock::now() + timeout, [&] {
    return std::ranges::all_of(requests, [](const Request& request) { return request.done(); });
  });
}

ucs_status_t Links::on_message(void* argument, const void* header, std::size_t header_bytes,
                               void* data, std::size_t bytes,
                               const ucp_am_recv_param_t* param) noexcept {
  auto& links = *static_cast<Links*>(argument);
  MessageHeader message;
  if (header_bytes != sizeof message) return UCS_OK;
  std::memcpy(&message, header, sizeof message);
  // Whatever a stranger sends is left alone: it knows no token.
  if (message.token != links.token_) return UCS_OK;
  if (message.sender >= links.connections_.size()) return UCS_OK;
  if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) {
    links.offender_ = static_cast<int>(message.sender);
    return UCS_OK;
  }
  links.take(message, static_cast<const std::byte*>(data), bytes);
  return UCS_OK;
}

void Links::take(const MessageHeader& header, const std::byte* data, std::size_t bytes) noexcept {
  Connection* const from = connections_[header.sender].get();
  switch (header.kind) {
    case MessageKind::Put:
      if (from == nullptr || !fits_slots(memory_.size(), header.flag_offset, bytes)) break;
      write_slot(memory_.data(), header.flag_offset, data, bytes, header.epoch);
      return;
    case MessageKind::Hello:
      if (from == nullptr) break;
      from->greet();
      return;
    case MessageKind::Leave:
      if (from == nullptr) break;
      from->leave();
      return;
  }
  offender_ = static_cast<int>(header.sender);
}

}  // namespace roce::transport::ucx

// SPDX-License-Identifier: Apache-2.0
#include "src/transport/ucx/transport.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <utility>

#include "src/transport/ucx/links.hpp"

namespace roce::transport::ucx {

static_assert(roce::transport::Transport<Transport>);

namespace {

Failure failure_of(const Links& links, int peer, ErrorCode code, std::string message) {
  return {.code = code,
          .reporter = links.rank(),
          .culprit = peer,
          .schedule = {},
          .operation = {},
          .local_device = "ucx",
          .remote_device = "ucx",
          .message = std::move(message)};
}

Failure lost_connection(const Links& links, const Connection& connection) {
  const int peer = connection.peer();
  return failure_of(
      links, peer, ErrorCode::PeerFailed,
      fmt::format("rank {} lost its UCX connection to rank {}{}{} ({}); check that rank {} is "
                  "alive, its own output, and the network between the two hosts",
                  links.rank(), peer, connection.device().empty() ? "" : " over ",
                  connection.device(), library().status_string(connection.status()), peer));
}

}  // namespace

Transport::Transport(std::byte* memory, std::unique_ptr<Links> links)
    : memory_(memory), links_(std::move(links)) {
  if (links_ != nullptr) reported_.resize(links_->all().size());
}

Transport::~Transport() = default;

bool Transport::put(int peer, std::size_t flag_offset, const std::byte* source, std::size_t bytes,
                    Flag epoch) noexcept {
  Connection* const connection = links_ == nullptr ? nullptr : links_->connection(peer);
  if (connection == nullptr) return false;
  return connection->send(MessageKind::Put, flag_offset, source, bytes, epoch);
}

bool Transport::flushed(int peer) noexcept {
  const Connection* const connection = links_ == nullptr ? nullptr : links_->connection(peer);
  return connection == nullptr || connection->flushed();
}

void Transport::poll() noexcept {
  if (links_ != nullptr) static_cast<void>(links_->worker().progress());
}

void Transport::clear(std::size_t begin, std::size_t end) noexcept {
  std::memset(memory_ + begin, 0, end - begin);
}

std::optional<Failure> Transport::failure() noexcept {
  if (links_ == nullptr) return std::nullopt;
  poll();
  for (std::size_t i = 0; i < reported_.size(); ++i) {
    const Connection& connection = *links_->all()[i];
    // A peer that took its leave has ended as it should, unless somebody still has news for it.
    if (!connection.broken() || reported_[i]) continue;
    if (connection.left() && !connection.lost_message()) continue;
    reported_[i] = true;
    return lost_connection(*links_, connection);
  }
  if (const int offender = links_->offender(); offender >= 0) {
    return failure_of(
        *links_, offender, ErrorCode::Internal,
        fmt::format("rank {} got a message from rank {} that does not fit its slots; do both use "
                    "the same version of the library?",
                    links_->rank(), offender));
  }
  return std::nullopt;
}

Path Transport::describe(int peer) const {
  const Connection* const connection = links_ == nullptr ? nullptr : links_->connection(peer);
  if (connection == nullptr || connection->device().empty()) return {"ucx", "ucx", {}};
  return {"ucx:" + connection->device(), "ucx", {}};
}

}  // namespace roce::transport::ucx

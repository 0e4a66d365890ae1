// SPDX-License-Identifier: Apache-2.0
#include "src/bootstrap/mesh.hpp"

#include <fmt/format.h>

#include <utility>

namespace roce::bootstrap {
namespace {

constexpr std::chrono::milliseconds goodbye_patience{100};

// A peer can be one all-gather ahead. More frames pile up only when gathers time out again and
// again here; past this many the peer is cut off.
constexpr std::size_t most_waiting_data = 16;

std::size_t index(int rank) noexcept { return static_cast<std::size_t>(rank); }

}  // namespace

Mesh::Mesh(int rank, Connections connections)
    : rank_(rank),
      connections_(std::move(connections)),
      polling_(connections_.size(), pollfd{-1, 0, 0}),
      inboxes_(connections_.size()) {
  // A quick peer's first frames may have been read together with the rendezvous' last one.
  for (const auto& connection : connections_) {
    if (connection) serve(*connection);
  }
}

Mesh::~Mesh() {
  try {
    // What has come already is read, so that closing does not reset the connection.
    pump(0);
    send_to_all(encode_frame(FrameType::Goodbye, 0, {}));
    const Deadline patience(goodbye_patience);
    for (const auto& connection : connections_) {
      if (connection && connection->up()) connection->finish(patience.left());
    }
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    // Out of memory: the connections close without a goodbye.
  }
}

void Mesh::pump(int timeout_ms) {
  update_polling();
  if (::poll(polling_.data(), polling_.size(), timeout_ms) <= 0) return;
  for (std::size_t peer = 0; peer < polling_.size(); ++peer) {
    if (polling_[peer].fd >= 0 && polling_[peer].revents != 0) serve(*connections_[peer]);
  }
}

void Mesh::update_polling() noexcept {
  for (std::size_t peer = 0; peer < polling_.size(); ++peer) {
    const auto& connection = connections_[peer];
    if (connection) polling_[peer] = {connection->fd(), connection->events(), 0};
  }
}

void Mesh::serve(Connection& connection) {
  connection.flush();
  connection.receive();
  while (auto frame = connection.next_frame()) sort(connection, std::move(*frame));
  if (!connection.up()) note_gone(connection.peer());
}

void Mesh::sort(Connection& connection, Frame frame) {
  Inbox& inbox = inboxes_[index(connection.peer())];
  switch (frame.type) {
    case FrameType::Data:
      inbox.data.push_back(std::move(frame));
      if (inbox.data.size() > most_waiting_data && connection.up()) {
        connection.drop("it sent far more than was asked for");
      }
      return;
    case FrameType::Invite:
      inbox.invites.push_back(std::move(frame.payload));
      return;
    case FrameType::Failure:
      try {
        if (!inbox.announced) announced_.push_back(decode_failure(frame.payload));
        inbox.announced = true;
      } catch (const Error& error) {
        if (connection.up()) connection.drop(error.what());
      }
      return;
    default:
      // Frames of the rendezvous mean nothing any more.
      return;
  }
}

void Mesh::note_gone(int peer) noexcept {
  if (first_gone_ < 0) first_gone_ = peer;
}

void Mesh::send(int peer, const SharedBytes& frame) {
  if (const auto& connection = connections_[index(peer)]) connection->send(frame);
}

void Mesh::send_to_all(const SharedBytes& frame) {
  for (const auto& connection : connections_) {
    if (connection) connection->send(frame);
  }
}

void Mesh::send_urgent_to_all(const SharedBytes& frame) {
  for (const auto& connection : connections_) {
    if (connection) connection->send_urgent(frame);
  }
}

bool Mesh::has_unsent(int peer) const noexcept {
  const auto& connection = connections_[index(peer)];
  return connection && connection->has_unsent();
}

std::optional<Bytes> Mesh::take_data(int peer, std::uint32_t sequence) {
  auto& waiting = inboxes_[index(peer)].data;
  // Serial number arithmetic, for the day that the counter wraps around.
  while (!waiting.empty() && static_cast<std::int32_t>(waiting.front().sequence - sequence) < 0) {
    waiting.pop_front();
  }
  if (waiting.empty() || waiting.front().sequence != sequence) return std::nullopt;
  Bytes payload = std::move(waiting.front().payload);
  waiting.pop_front();
  return payload;
}

std::vector<Bytes> Mesh::take_invites(int peer) {
  return std::exchange(inboxes_[index(peer)].invites, {});
}

bool Mesh::gone(int peer) const noexcept {
  const auto& connection = connections_[index(peer)];
  return connection && !connection->up();
}

Failure Mesh::describe_gone(int peer) const {
  const Connection& connection = *connections_[index(peer)];
  const bool clean = connection.ending() == Ending::Clean;
  std::string message =
      clean ? fmt::format(
                  "rank {}: rank {} ({}) closed its communicator; check that all ranks make "
                  "the same calls",
                  rank_, peer, connection.peer_text())
            : fmt::format("rank {}: rank {} ({}) died or lost its network: {}; look at its output",
                          rank_, peer, connection.peer_text(), connection.reason());
  return make_failure(ErrorCode::PeerFailed, rank_, peer, std::move(message));
}

Address Mesh::own_address_towards(int peer) const {
  return connections_[index(peer)]->socket().local_address();
}

}  // namespace roce::bootstrap

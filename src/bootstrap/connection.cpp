// SPDX-License-Identifier: Apache-2.0
#include "src/bootstrap/connection.hpp"

#include <poll.h>

#include <cstring>

#include "src/bootstrap/deadline.hpp"

namespace roce::bootstrap {
namespace {

// How much one receive() reads before it lets other peers have their turn.
constexpr std::size_t read_quota = std::size_t{4} << 20;

}  // namespace

Connection::Connection(Socket socket, int peer)
    : socket_(std::move(socket)), peer_(peer), peer_text_(socket_.peer_address().to_string()) {}

void Connection::send(SharedBytes frame) {
  if (!up()) return;
  queue_.push_back(std::move(frame));
  flush();
}

void Connection::send_urgent(SharedBytes frame) {
  if (!up()) return;
  queue_.insert(queue_.begin() + (sent_ > 0 ? 1 : 0), std::move(frame));
  flush();
}

void Connection::flush() noexcept {
  while (!queue_.empty()) {
    const Bytes& frame = *queue_.front();
    const IoResult result = socket_.send(std::span(frame).subspan(sent_));
    if (result.would_block) return;
    if (result.error != 0) {
      // What the peer sent before it went may still wait to be read: receive() ends the connection.
      queue_.clear();
      sent_ = 0;
      return;
    }
    sent_ += result.bytes;
    if (sent_ == frame.size()) {
      queue_.pop_front();
      sent_ = 0;
    }
  }
}

void Connection::receive() {
  std::size_t taken = 0;
  while (up() && taken < read_quota) {
    const IoResult result = socket_.receive(decoder_.space());
    if (result.would_block) return;
    if (result.ended) {
      end(Ending::Vanished, "its process ended without a goodbye");
    } else if (result.error != 0) {
      end(Ending::Vanished, std::strerror(result.error));
    } else if (!decoder_.advance(result.bytes)) {
      end(Ending::Vanished, "it sent bytes that are no frame");
    } else {
      taken += result.bytes;
      note_goodbye();
    }
  }
}

void Connection::note_goodbye() {
  auto& frames = decoder_.frames();
  if (frames.empty() || frames.back().type != FrameType::Goodbye) return;
  frames.pop_back();
  end(Ending::Clean, "it said goodbye");
}

std::optional<Frame> Connection::next_frame() {
  auto& frames = decoder_.frames();
  if (frames.empty()) return std::nullopt;
  Frame frame = std::move(frames.front());
  frames.pop_front();
  return frame;
}

short Connection::events() const noexcept {
  return static_cast<short>(POLLIN | (has_unsent() ? POLLOUT : 0));
}

void Connection::finish(std::chrono::milliseconds patience) noexcept {
  const Deadline deadline(patience);
  flush();
  while (socket_.is_open() && has_unsent() && !deadline.passed()) {
    pollfd waiting{socket_.fd(), POLLOUT, 0};
    (void)::poll(&waiting, 1, deadline.poll_ms(20));
    if ((waiting.revents & (POLLERR | POLLHUP)) != 0) return;
    flush();
  }
  if (socket_.is_open()) socket_.finish_sending();
}

void Connection::drop(std::string reason) { end(Ending::Vanished, std::move(reason)); }

void Connection::end(Ending ending, std::string reason) {
  ending_ = ending;
  reason_ = std::move(reason);
  queue_.clear();
  sent_ = 0;
  socket_.close();
}

}  // namespace roce::bootstrap

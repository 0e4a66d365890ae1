// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "src/bootstrap/frame.hpp"
#include "src/bootstrap/socket.hpp"

namespace roce::bootstrap {

/// How a connection ended.
enum class Ending : std::uint8_t {
  None,     ///< it is up
  Clean,    ///< the peer said goodbye
  Vanished  ///< it broke, or ended without a goodbye
};

/// An authenticated connection to one peer: whole frames in, whole frames out, never blocking.
class Connection {
 public:
  Connection(Socket socket, int peer);

  /// Puts a frame at the end of the queue and sends what the kernel takes.
  void send(SharedBytes frame);
  /// Puts a frame ahead of all that have not begun to leave, and sends what the kernel takes.
  void send_urgent(SharedBytes frame);
  /// Sends what the kernel takes of the queue.
  void flush() noexcept;
  /// Reads what has come, a few MiB at most at once. On the connection's end every frame that came
  /// before it is still delivered.
  void receive();
  /// The oldest frame that has come.
  [[nodiscard]] std::optional<Frame> next_frame();

  /// Waits up to `patience` for the queue to leave; then says nothing more.
  void finish(std::chrono::milliseconds patience) noexcept;
  /// Closes at once and takes the peer for gone.
  void drop(std::string reason);

  [[nodiscard]] bool up() const noexcept { return ending_ == Ending::None; }
  [[nodiscard]] Ending ending() const noexcept { return ending_; }
  /// Why it ended, for example "Connection reset by peer". Empty while it is up.
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  [[nodiscard]] bool has_unsent() const noexcept { return !queue_.empty(); }
  [[nodiscard]] int fd() const noexcept { return socket_.fd(); }
  /// The poll() events that this connection waits for.
  [[nodiscard]] short events() const noexcept;
  [[nodiscard]] int peer() const noexcept { return peer_; }
  /// The peer's address, for messages.
  [[nodiscard]] const std::string& peer_text() const noexcept { return peer_text_; }
  [[nodiscard]] const Socket& socket() const noexcept { return socket_; }

 private:
  void end(Ending ending, std::string reason);
  void note_goodbye();

  Socket socket_;
  int peer_;
  std::string peer_text_;
  FrameDecoder decoder_;
  std::deque<SharedBytes> queue_;
  std::size_t sent_ = 0;  // bytes of the queue's first frame that have left
  Ending ending_ = Ending::None;
  std::string reason_;
};

}  // namespace roce::bootstrap

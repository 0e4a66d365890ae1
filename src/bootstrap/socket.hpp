// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "src/bootstrap/address.hpp"

namespace roce::bootstrap {

/// What a non-blocking send or receive did. Exactly one of: bytes moved, would_block, ended, or an
/// errno.
struct IoResult {
  std::size_t bytes = 0;
  bool would_block = false;
  bool ended = false;  ///< the peer has shut down its side (receive only)
  int error = 0;       ///< errno of a broken connection
};

/// Owns one non-blocking, close-on-exec TCP socket. Never raises SIGPIPE.
class Socket {
 public:
  Socket() noexcept = default;
  explicit Socket(int fd) noexcept : fd_(fd) {}
  ~Socket() { close(); }
  Socket(Socket&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), start_error_(other.start_error_) {}
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  /// Begins to connect; poll for writability, then ask connect_error(). Throws Error (Resource)
  /// when the machine has no socket to give. An address that fails at once shows in
  /// connect_error().
  [[nodiscard]] static Socket start_connect(const Address& address);

  [[nodiscard]] int fd() const noexcept { return fd_; }
  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
  void close() noexcept;
  /// Ends the sending side; the peer reads all that was sent, then the end.
  void finish_sending() const noexcept;

  /// 0, or the errno with which connecting failed.
  [[nodiscard]] int connect_error() const noexcept;
  [[nodiscard]] IoResult send(std::span<const std::byte> bytes) const noexcept;
  [[nodiscard]] IoResult receive(std::span<std::byte> bytes) const noexcept;

  /// No Nagle delay; keepalive and user timeout, so that a host that vanishes is noticed in about
  /// half a minute.
  void tune() const noexcept;
  [[nodiscard]] Address local_address() const noexcept;
  [[nodiscard]] Address peer_address() const noexcept;

 private:
  int fd_ = -1;
  int start_error_ = 0;
};

/// Owns a listening socket.
class Listener {
 public:
  /// Listens at one address, port 0 chooses. Throws Error (Resource) naming address and errno text.
  [[nodiscard]] static Listener at(const Address& address);
  /// Listens at all addresses of this machine, IPv6 and IPv4 where there are both.
  [[nodiscard]] static Listener anywhere(std::uint16_t port);
  /// Listens where peers that look for `host` will knock: exactly there when it is a numeric
  /// address of this machine, at all addresses when it is a name (which may resolve to another
  /// address elsewhere) or an address that this machine does not have (port forwarding).
  [[nodiscard]] static Listener for_host(const std::string& host, std::uint16_t port);

  [[nodiscard]] int fd() const noexcept { return socket_.fd(); }
  [[nodiscard]] Address address() const noexcept { return socket_.local_address(); }
  /// The next waiting connection, tuned, or an empty socket.
  [[nodiscard]] Socket accept() const noexcept;

 private:
  explicit Listener(Socket socket) noexcept : socket_(std::move(socket)) {}
  Socket socket_;
};

}  // namespace roce::bootstrap

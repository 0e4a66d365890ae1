// SPDX-License-Identifier: Apache-2.0
#include "src/bootstrap/socket.hpp"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "roce/status.hpp"

namespace roce::bootstrap {
namespace {

void set_option(int fd, int level, int name, int value) noexcept {
  // Options only tune; a kernel that lacks one still gives a connection that works.
  (void)::setsockopt(fd, level, name, &value, sizeof value);
}

Socket make_socket(int family) {
  const int fd = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    throw std::system_error(errno, std::generic_category());
  }
  return Socket(fd);
}

// Throws std::system_error, so that callers can look at the errno.
Socket listening_socket(const Address& address) {
  Socket socket = make_socket(address.family());
  set_option(socket.fd(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (address.family() == AF_INET6) set_option(socket.fd(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (::bind(socket.fd(), address.data(), address.length()) != 0 ||
      ::listen(socket.fd(), SOMAXCONN) != 0) {
    throw std::system_error(errno, std::generic_category());
  }
  return socket;
}

[[noreturn]] void refuse_to_listen(const Address& address, int error) {
  throw Error(ErrorCode::Resource,
              fmt::format("cannot listen at {}: {}; {}", address.to_string(), std::strerror(error),
                          error == EADDRINUSE ? "another program uses that port, choose another one"
                                              : "check the address and this process's limits"));
}

IoResult io_result(ssize_t rc) noexcept {
  IoResult result;
  if (rc > 0) {
    result.bytes = static_cast<std::size_t>(rc);
  } else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
    result.would_block = true;
  } else {
    result.error = errno;
  }
  return result;
}

Address address_of(int fd, int (*get)(int, sockaddr*, socklen_t*)) noexcept {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  if (get(fd, address, &length) != 0) return {};
  return {address, length};
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
    start_error_ = other.start_error_;
  }
  return *this;
}

Socket Socket::start_connect(const Address& address) {
  Socket socket;
  try {
    socket = make_socket(address.family());
  } catch (const std::system_error& error) {
    throw Error(ErrorCode::Resource,
                fmt::format("cannot make a socket for {}: {}; check this process's limit of open "
                            "files",
                            address.to_string(), std::strerror(error.code().value())));
  }
  socket.tune();
  if (::connect(socket.fd(), address.data(), address.length()) != 0 && errno != EINPROGRESS &&
      errno != EINTR) {
    socket.start_error_ = errno;
  }
  return socket;
}

void Socket::close() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void Socket::finish_sending() const noexcept { (void)::shutdown(fd_, SHUT_WR); }

int Socket::connect_error() const noexcept {
  if (start_error_ != 0) return start_error_;
  int error = 0;
  socklen_t length = sizeof error;
  if (::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  return error;
}

IoResult Socket::send(std::span<const std::byte> bytes) const noexcept {
  return io_result(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

IoResult Socket::receive(std::span<std::byte> bytes) const noexcept {
  const ssize_t rc = ::recv(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (rc == 0) return {.ended = true};
  return io_result(rc);
}

void Socket::tune() const noexcept {
  constexpr int idle_s = 10;
  constexpr int interval_s = 5;
  constexpr int probes = 4;
  set_option(fd_, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd_, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd_, IPPROTO_TCP, TCP_KEEPIDLE, idle_s);
  set_option(fd_, IPPROTO_TCP, TCP_KEEPINTVL, interval_s);
  set_option(fd_, IPPROTO_TCP, TCP_KEEPCNT, probes);
  set_option(fd_, IPPROTO_TCP, TCP_USER_TIMEOUT, (idle_s + interval_s * probes) * 1000);
}

Address Socket::local_address() const noexcept { return address_of(fd_, ::getsockname); }
Address Socket::peer_address() const noexcept { return address_of(fd_, ::getpeername); }

Listener Listener::at(const Address& address) {
  try {
    return Listener(listening_socket(address));
  } catch (const std::system_error& error) {
    refuse_to_listen(address, error.code().value());
  }
}

Listener Listener::anywhere(std::uint16_t port) {
  try {
    return Listener(listening_socket(Address::any(AF_INET6, port)));
  } catch (const std::system_error& error) {
    const int code = error.code().value();
    if (code != EAFNOSUPPORT && code != EADDRNOTAVAIL) {
      refuse_to_listen(Address::any(AF_INET6, port), code);
    }
  }
  return at(Address::any(AF_INET, port));
}

Listener Listener::for_host(const std::string& host, std::uint16_t port) {
  if (!is_literal(host)) return anywhere(port);
  const Address address = resolve(host, port).at(0);
  try {
    return Listener(listening_socket(address));
  } catch (const std::system_error& error) {
    if (error.code().value() != EADDRNOTAVAIL) refuse_to_listen(address, error.code().value());
  }
  return anywhere(port);
}

Socket Listener::accept() const noexcept {
  Socket socket(::accept4(socket_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket.is_open()) socket.tune();
  return socket;
}

}  // namespace roce::bootstrap

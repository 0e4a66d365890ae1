// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "roce/bootstrap.hpp"
#include "src/bootstrap/socket.hpp"
#include "src/bootstrap/wire.hpp"
#include "tests/catch.hpp"
#include "tests/multiproc/rank_group.hpp"

using namespace std::chrono_literals;
using Catch::Contains;
using roce::Error;
using roce::ErrorCode;
using roce::make_tcp_bootstrap;
using roce::UniqueId;
using roce::bootstrap::Bytes;
using roce::bootstrap::Listener;
using roce::bootstrap::Socket;
using roce::bootstrap::WireWriter;
using roce::test::RankProcess;
using roce::test::run_threads;
using roce::test::what;

namespace {

constexpr auto patience = 20s;
constexpr std::uint32_t magic = 0x45434f52;
using Clock = std::chrono::steady_clock;

// Connects as soon as somebody listens.
Socket knock(const UniqueId& id) {
  const auto address = roce::bootstrap::resolve(id.host, id.port).at(0);
  for (const auto end = Clock::now() + patience; Clock::now() < end;) {
    Socket socket = Socket::start_connect(address);
    pollfd waiting{socket.fd(), POLLOUT, 0};
    if (::poll(&waiting, 1, 1000) == 1 && socket.connect_error() == 0) return socket;
    std::this_thread::sleep_for(5ms);
  }
  throw std::runtime_error("nobody listens");
}

void say(const Socket& socket, std::span<const std::byte> bytes) { (void)socket.send(bytes); }
void say(const Socket& socket, std::string_view text) {
  say(socket, std::as_bytes(std::span(text)));
}

// What comes until the other side closes.
std::string hear(const Socket& socket) {
  std::string text;
  for (;;) {
    pollfd waiting{socket.fd(), POLLIN, 0};
    if (::poll(&waiting, 1, 10'000) != 1) throw std::runtime_error("the other side hangs");
    std::array<char, 512> buffer;
    const auto result = socket.receive(std::as_writable_bytes(std::span(buffer)));
    if (result.ended || result.error != 0) return text;
    text.append(buffer.data(), result.bytes);
  }
}

Bytes header(std::uint16_t version, std::uint16_t type, std::uint16_t length) {
  return WireWriter().put(magic).put(version).put(type).put(length).bytes();
}

// Runs ranks 0 and 1 with `intrude` before rank 1 comes; both must succeed all the same.
void meet_in_spite_of(const std::function<void(const UniqueId&)>& intrude) {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  const auto thrown = run_threads(2, [&](int rank) {
    if (rank == 1) intrude(id);
    (void)make_tcp_bootstrap(id, rank, 2, patience)->all_gather({});
  });
  for (const auto& one : thrown) CHECK(what(one).empty());
}

std::optional<ErrorCode> code_of_joining(const UniqueId& id, int rank, int size,
                                         std::string& message) {
  try {
    (void)make_tcp_bootstrap(id, rank, size, patience);
    return std::nullopt;
  } catch (const Error& error) {
    message = error.what();
    return static_cast<ErrorCode>(error.code().value());
  }
}

}  // namespace

TEST_CASE("connections that say nothing hold up nobody") {
  std::vector<Socket> silent;
  meet_in_spite_of([&](const UniqueId& id) {
    for (int i = 0; i < 100; ++i) silent.push_back(knock(id));
  });
}

TEST_CASE("garbage is turned away") {
  meet_in_spite_of([](const UniqueId& id) {
    const Socket web = knock(id);
    say(web, "GET / HTTP/1.1\r\nHost: spark1\r\n\r\n");
    (void)hear(web);
    const Socket brief = knock(id);
    say(brief, "ROCE");
    const Socket oversized = knock(id);
    say(oversized, header(1, 1, 65'535));
    (void)hear(oversized);
    const Socket out_of_turn = knock(id);
    say(out_of_turn, header(1, 4, 0));
    (void)hear(out_of_turn);
    const Socket short_hello = knock(id);
    say(short_hello,
        WireWriter().put(header(1, 1, 3)).put(std::uint16_t{0}).put(std::uint8_t{0}).bytes());
    (void)hear(short_hello);
  });
}

TEST_CASE("another protocol version is told so") {
  std::string reply;
  meet_in_spite_of([&](const UniqueId& id) {
    const Socket socket = knock(id);
    say(socket, header(99, 1, 0));
    reply = hear(socket);
  });
  CHECK_THAT(reply, Contains("protocol versions differ: 1 and 99"));
}

TEST_CASE("another secret, size or taken rank is a clear mismatch for the joiner only") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  UniqueId other = id;
  other.secret[0] ^= 1;
  std::string secret_message;
  std::string size_message;
  std::string rank_message;
  const auto thrown = run_threads(3, [&](int rank) {
    if (rank == 2) {
      std::this_thread::sleep_for(200ms);  // rank 1 has joined
      if (code_of_joining(other, 2, 3, secret_message) != ErrorCode::Mismatch ||
          code_of_joining(id, 2, 4, size_message) != ErrorCode::Mismatch ||
          code_of_joining(id, 1, 3, rank_message) != ErrorCode::Mismatch) {
        throw std::runtime_error("no mismatch");
      }
    }
    (void)make_tcp_bootstrap(id, rank, 3, patience)->all_gather({});
  });
  for (const auto& one : thrown) CHECK(what(one).empty());
  CHECK_THAT(secret_message, Contains("rank 2") && Contains("secrets differ"));
  CHECK_THAT(size_message, Contains("started with 3") && Contains("rank 2 with 4"));
  CHECK_THAT(rank_message, Contains("rank 1 has joined already, from 127.0.0.1:"));
}

TEST_CASE("a second rank 0 is told that the port is taken") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  const auto thrown = run_threads(2, [&](int rank) {
    if (rank == 1) {
      std::string message;
      (void)knock(id);
      if (code_of_joining(id, 0, 2, message) != ErrorCode::Resource ||
          message.find("Address already in use") == std::string::npos) {
        throw std::runtime_error(message);
      }
    }
    (void)make_tcp_bootstrap(id, rank, 2, patience)->all_gather({});
  });
  for (const auto& one : thrown) CHECK(what(one).empty());
}

TEST_CASE("a timeout tells who was turned away") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  UniqueId other = id;
  other.secret[15] ^= 1;
  const auto thrown = run_threads(
      2, [&](int rank) { (void)make_tcp_bootstrap(rank == 0 ? id : other, rank, 2, 500ms); });
  CHECK_THAT(what(thrown[0]),
             Contains("rank 1 of 2") && Contains("turned away") && Contains("secrets differ"));
}

TEST_CASE("a joiner that finds another program says so") {
  const Listener listener = Listener::for_host("127.0.0.1", 0);
  const UniqueId id{.host = "127.0.0.1", .port = listener.address().port(), .secret = {}};
  std::string message;
  std::jthread server([&] {
    pollfd waiting{listener.fd(), POLLIN, 0};
    (void)::poll(&waiting, 1, 10'000);
    const Socket socket = listener.accept();
    say(socket, "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n");
    (void)hear(socket);
  });
  CHECK(code_of_joining(id, 1, 2, message) == ErrorCode::Mismatch);
  CHECK_THAT(message, Contains("another program uses the port"));
}

TEST_CASE("a rank that dies while the ranks meet ends it for all at once") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  RankProcess doomed(2, [&](int rank) {
    (void)make_tcp_bootstrap(id, rank, 4, patience);
    return 0;
  });
  const auto begin = Clock::now();
  const auto thrown = run_threads(3, [&](int rank) {
    if (rank < 2) {
      (void)make_tcp_bootstrap(id, rank, 4, patience);
    } else {
      std::this_thread::sleep_for(600ms);
      doomed.kill();
    }
  });
  CHECK(Clock::now() - begin < 10s);
  for (const int rank : {0, 1}) {
    CHECK_THAT(what(thrown[static_cast<std::size_t>(rank)]), Contains("rank 2 (127.0.0.1:"));
  }
}

TEST_CASE("the secret never travels in clear") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  const Listener listener = Listener::for_host("127.0.0.1", 0);
  UniqueId through_proxy = id;
  through_proxy.port = listener.address().port();
  std::string seen;
  const auto thrown = run_threads(3, [&](int rank) {
    if (rank < 2) {
      const auto bootstrap = make_tcp_bootstrap(rank == 0 ? id : through_proxy, rank, 2, patience);
      (void)bootstrap->shrink(std::vector<int>{0, 1})->all_gather({});
      return;
    }
    pollfd knocking{listener.fd(), POLLIN, 0};
    (void)::poll(&knocking, 1, 10'000);
    const Socket sides[2] = {listener.accept(), knock(id)};
    for (int ended = 0; ended < 2;) {
      pollfd waiting[2] = {{sides[0].fd(), POLLIN, 0}, {sides[1].fd(), POLLIN, 0}};
      if (::poll(waiting, 2, 10'000) < 1) throw std::runtime_error("the ranks hang");
      for (int side = 0; side < 2; ++side) {
        std::array<std::byte, 4096> buffer;
        const auto result = sides[side].receive(buffer);
        if (result.ended || result.error != 0) {
          sides[1 - side].finish_sending();
          ended = 2;
        }
        seen.append(reinterpret_cast<const char*>(buffer.data()), result.bytes);
        say(sides[1 - side], std::span(buffer).first(result.bytes));
      }
    }
  });
  for (const auto& one : thrown) CHECK(what(one).empty());
  CHECK(seen.size() > 200);
  const std::string secret(id.secret.begin(), id.secret.end());
  CHECK(seen.find(secret) == std::string::npos);
  CHECK(seen.find(secret.substr(0, 8)) == std::string::npos);
}

// SPDX-License-Identifier: Apache-2.0
#include "src/bootstrap/handshake.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sodium.h>

#include <cstring>

namespace roce::bootstrap {
namespace {

constexpr std::uint32_t magic = 0x45434f52;  // "ROCE"
constexpr std::uint16_t protocol_version = 1;
constexpr std::size_t header_bytes = 10;
constexpr std::size_t max_payload = 1024;

static_assert(std::tuple_size_v<Nonce> == crypto_auth_hmacsha256_BYTES);
static_assert(std::tuple_size_v<Key> == crypto_generichash_BYTES);

void need_sodium() {
  static const bool ready = sodium_init() >= 0;
  if (!ready) {
    throw Error(ErrorCode::Resource,
                "libsodium cannot start: it finds no random numbers (/dev/urandom)");
  }
}

std::span<const std::byte> bytes_of(const Nonce& nonce) { return std::as_bytes(std::span(nonce)); }

bool equal_in_constant_time(const Nonce& a, std::span<const std::byte> b) {
  return b.size() == a.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

Nonce random_nonce() {
  need_sodium();
  Nonce nonce;
  randombytes_buf(nonce.data(), nonce.size());
  return nonce;
}

Secret random_secret() {
  need_sodium();
  Secret secret;
  randombytes_buf(secret.data(), secret.size());
  return secret;
}

Key join_key(const Secret& secret) {
  need_sodium();
  constexpr std::string_view label = "roce bootstrap join";
  Key key;
  crypto_generichash(key.data(), key.size(), reinterpret_cast<const unsigned char*>(label.data()),
                     label.size(), secret.data(), secret.size());
  return key;
}

Key pair_key(const Key& join, const Nonce& session) {
  Key key;
  crypto_generichash(key.data(), key.size(), session.data(), session.size(), join.data(),
                     join.size());
  return key;
}

Nonce Handshake::proof(std::string_view side) const {
  need_sodium();
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, key_.data(), key_.size());
  const auto add = [&state](const void* data, std::size_t size) {
    crypto_auth_hmacsha256_update(&state, static_cast<const unsigned char*>(data), size);
  };
  add(side.data(), side.size());
  add(hello_.data(), hello_.size());
  add(challenge_.data(), challenge_.size());
  Nonce mac;
  crypto_auth_hmacsha256_final(&state, mac.data());
  return mac;
}

void Handshake::fail(State state, std::string reason) {
  if (state_ != State::Running) return;
  state_ = state;
  reason_ = std::move(reason);
}

void Handshake::send(MessageType type, std::span<const std::byte> payload) {
  WireWriter writer;
  writer.put(magic)
      .put(protocol_version)
      .put(static_cast<std::uint16_t>(type))
      .put(static_cast<std::uint16_t>(payload.size()))
      .put(payload);
  const IoResult result = socket_.send(writer.bytes());
  if (result.bytes == writer.bytes().size()) return;
  fail(State::Broken,
       result.error != 0 ? std::strerror(result.error) : "the connection is clogged");
}

void Handshake::refuse(const std::string& reason) {
  send(MessageType::Refusal, std::as_bytes(std::span(std::string_view(reason).substr(0, 1000))));
  fail(State::Refused, reason);
}

// Reads until `input_` holds `count` bytes and not one more: frames follow the last message.
bool Handshake::fill(std::size_t count) {
  while (input_.size() < count) {
    std::array<std::byte, header_bytes + max_payload> buffer;
    const IoResult result = socket_.receive(std::span(buffer).first(count - input_.size()));
    if (result.would_block) return false;
    if (result.ended || result.error != 0) {
      fail(State::Broken,
           result.ended ? "the other side closed the connection" : std::strerror(result.error));
      return false;
    }
    input_.insert(input_.end(), buffer.begin(), buffer.begin() + result.bytes);
  }
  return true;
}

bool Handshake::check_header() {
  WireReader header(input_);
  if (header.get<std::uint32_t>() != magic) {
    fail(State::Refused,
         "the other side is not a rank of this library; another program uses the port");
    return false;
  }
  const auto version = header.get<std::uint16_t>();
  const auto type = static_cast<MessageType>(header.get<std::uint16_t>());
  // Refusals keep their form in all versions, so that the reason gets through.
  if (version != protocol_version && type != MessageType::Refusal) {
    refuse(
        fmt::format("protocol versions differ: {} and {}; run the same version of the library "
                    "on all ranks",
                    protocol_version, version));
    return false;
  }
  if (header.get<std::uint16_t>() > max_payload) {
    refuse("a handshake message is too long");
    return false;
  }
  return true;
}

std::optional<Bytes> Handshake::receive(MessageType expected) {
  if (!fill(header_bytes) || !check_header()) return std::nullopt;
  WireReader header(input_);
  (void)header.take(6);
  const auto type = static_cast<MessageType>(header.get<std::uint16_t>());
  const auto length = header.get<std::uint16_t>();
  if (!fill(header_bytes + length)) return std::nullopt;
  Bytes payload(input_.begin() + header_bytes, input_.end());
  input_.clear();
  if (type == expected) return payload;
  if (type == MessageType::Refusal) {
    fail(State::Refused,
         std::string(reinterpret_cast<const char*>(payload.data()), payload.size()));
  } else {
    refuse("a handshake message came out of turn");
  }
  return std::nullopt;
}

Handshake::State ConnectorHandshake::advance() {
  if (step_ == Step::Connecting) {
    pollfd probe{socket_.fd(), POLLOUT, 0};
    if (::poll(&probe, 1, 0) <= 0) return state_;
    say_hello();
  }
  if (state_ == State::Running && step_ == Step::AwaitChallenge) {
    if (const auto message = receive(MessageType::Challenge)) answer(*message);
  }
  if (state_ == State::Running && step_ == Step::AwaitWelcome) {
    if (receive(MessageType::Welcome)) state_ = State::Done;
  }
  return state_;
}

short ConnectorHandshake::events() const noexcept {
  return step_ == Step::Connecting ? POLLOUT : POLLIN;
}

void ConnectorHandshake::say_hello() {
  if (const int error = socket_.connect_error(); error != 0) {
    fail(State::Broken, std::strerror(error));
    return;
  }
  const Nonce nonce = random_nonce();
  WireWriter hello;
  hello.put(static_cast<std::uint8_t>(self_.purpose))
      .put(static_cast<std::int32_t>(self_.size))
      .put(static_cast<std::int32_t>(self_.rank))
      .put(static_cast<std::int32_t>(self_.target))
      .put(bytes_of(nonce));
  hello_ = std::move(hello).bytes();
  send(MessageType::Hello, hello_);
  step_ = Step::AwaitChallenge;
}

void ConnectorHandshake::answer(const Bytes& message) {
  constexpr std::size_t proof_bytes = std::tuple_size_v<Nonce>;
  if (message.size() != sizeof(std::int32_t) + 2 * proof_bytes) {
    return refuse("a handshake message has the wrong length");
  }
  challenge_.assign(message.begin(), message.end() - proof_bytes);
  if (!equal_in_constant_time(proof("acceptor"), std::span(message).last(proof_bytes))) {
    return refuse("the secrets differ: give every rank the same ROCE_RENDEZVOUS or ROCE_SECRET");
  }
  peer_ = WireReader(challenge_).get<std::int32_t>();
  send(MessageType::Proof, bytes_of(proof("connector")));
  step_ = Step::AwaitWelcome;
}

Handshake::State AcceptorHandshake::advance() {
  if (state_ == State::Running && step_ == Step::AwaitHello) {
    if (const auto message = receive(MessageType::Hello)) challenge(*message);
  }
  if (state_ == State::Running && step_ == Step::AwaitProof) {
    if (const auto message = receive(MessageType::Proof)) judge(*message);
  }
  return state_;
}

short AcceptorHandshake::events() const noexcept { return POLLIN; }

void AcceptorHandshake::challenge(const Bytes& message) {
  constexpr std::size_t hello_bytes = 1 + 3 * sizeof(std::int32_t) + std::tuple_size_v<Nonce>;
  if (message.size() != hello_bytes) return refuse("a handshake message has the wrong length");
  WireReader hello(message);
  const auto purpose = hello.get<std::uint8_t>();
  const auto size = hello.get<std::int32_t>();
  peer_ = hello.get<std::int32_t>();
  const auto target = hello.get<std::int32_t>();
  if (size != self_.size) {
    return refuse(
        fmt::format("the number of ranks differs: rank {} was started with {}, rank {} "
                    "with {}",
                    self_.rank, self_.size, peer_, size));
  }
  if (purpose != static_cast<std::uint8_t>(self_.purpose) || target != self_.rank) {
    return refuse(fmt::format("this is the port of rank {}, not of rank {}", self_.rank, target));
  }
  if (peer_ < 0 || peer_ >= size || peer_ == self_.rank) {
    return refuse(fmt::format("rank {} cannot join: rank {} of {} is listening", peer_, self_.rank,
                              self_.size));
  }
  hello_ = message;
  const Nonce nonce = random_nonce();
  challenge_ =
      std::move(WireWriter().put(static_cast<std::int32_t>(self_.rank)).put(bytes_of(nonce)))
          .bytes();
  send(MessageType::Challenge,
       WireWriter().put(challenge_).put(bytes_of(proof("acceptor"))).bytes());
  step_ = Step::AwaitProof;
}

void AcceptorHandshake::judge(const Bytes& message) {
  if (!equal_in_constant_time(proof("connector"), message)) {
    return refuse("the secrets differ: give every rank the same ROCE_RENDEZVOUS or ROCE_SECRET");
  }
  if (const auto objection = admit_(peer_)) return refuse(*objection);
  send(MessageType::Welcome, {});
  if (state_ == State::Running) state_ = State::Done;
}

}  // namespace roce::bootstrap

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "roce/status.hpp"
#include "src/bootstrap/endpoint.hpp"
#include "src/bootstrap/socket.hpp"
#include "src/bootstrap/wire.hpp"

/// Mutual challenge and response on a fresh connection. With K the key, H the connector's hello and
/// C the acceptor's challenge (each holds the sender's rank, the size and 32 random bytes):
///
///     connector -> acceptor   H
///     acceptor  -> connector  C, HMAC(K, "acceptor" H C)
///     connector -> acceptor   HMAC(K, "connector" H C)
///     acceptor  -> connector  welcome
///
/// Either side may send a refusal with its reason instead. HMAC is HMAC-SHA-256 (libsodium). The
/// handshake proves who opened the connection; what follows on it is neither encrypted nor signed.
namespace roce::bootstrap {

/// The key of the handshakes: derived from the secret for joining, and from the secret and a
/// nonce of this rendezvous for the connections between the ranks.
using Key = std::array<std::uint8_t, 32>;
using Nonce = std::array<std::uint8_t, 32>;

[[nodiscard]] Nonce random_nonce();
[[nodiscard]] Secret random_secret();
[[nodiscard]] Key join_key(const Secret& secret);
[[nodiscard]] Key pair_key(const Key& join, const Nonce& session);

enum class Purpose : std::uint8_t {
  Join = 1,  ///< to rank 0, to be told where the others are
  Pair = 2,  ///< between two ranks
};

/// What a side says about itself, and what the connector expects to find.
struct Identity {
  Purpose purpose = Purpose::Join;
  int size = 0;
  int rank = -1;
  int target = -1;  ///< connector: the rank it wants to reach
};

/// One handshake, advanced without blocking whenever its socket is ready.
class Handshake {
 public:
  enum class State : std::uint8_t {
    Running,
    Done,
    Refused,  ///< one side refused the other; `reason` says which and why
    Broken,   ///< the connection failed or ended; trying again may help
  };

  /// Asked by the acceptor once a peer of this rank has proved the secret; a text refuses it.
  using Admission = std::function<std::optional<std::string>(int rank)>;

  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;
  virtual ~Handshake() = default;

  /// Does what can be done now.
  virtual State advance() = 0;
  [[nodiscard]] virtual short events() const noexcept = 0;

  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] int peer() const noexcept { return peer_; }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  [[nodiscard]] const Socket& socket() const noexcept { return socket_; }
  /// The socket, when Done.
  [[nodiscard]] Socket release() noexcept { return std::move(socket_); }

 protected:
  enum class MessageType : std::uint16_t {
    Hello = 1,
    Challenge = 2,
    Proof = 3,
    Welcome = 4,
    Refusal = 5,
  };
  struct Message {
    MessageType type = MessageType::Refusal;
    Bytes payload;
  };

  Handshake(Socket socket, const Key& key, Identity self)
      : socket_(std::move(socket)), key_(key), self_(self) {}

  /// The next message once it is whole. Sets Refused or Broken on anything else than one of type
  /// `expected`.
  [[nodiscard]] std::optional<Bytes> receive(MessageType expected);
  /// Broken unless the kernel takes all of it, as it does on a fresh connection.
  void send(MessageType type, std::span<const std::byte> payload);
  void refuse(const std::string& reason);
  void fail(State state, std::string reason);
  [[nodiscard]] Nonce proof(std::string_view side) const;

  Socket socket_;
  Key key_;
  Identity self_;
  int peer_ = -1;
  State state_ = State::Running;
  std::string reason_;
  Bytes hello_;      // payloads as sent, which both proofs cover
  Bytes challenge_;  // without the acceptor's proof

 private:
  [[nodiscard]] bool fill(std::size_t count);
  [[nodiscard]] bool check_header();

  Bytes input_;
};

/// The side that connected.
class ConnectorHandshake final : public Handshake {
 public:
  /// `socket` may still be connecting.
  ConnectorHandshake(Socket socket, const Key& key, Identity self)
      : Handshake(std::move(socket), key, self) {}
  State advance() override;
  [[nodiscard]] short events() const noexcept override;
  /// True until TCP has connected.
  [[nodiscard]] bool connecting() const noexcept { return step_ == Step::Connecting; }

 private:
  enum class Step : std::uint8_t { Connecting, AwaitChallenge, AwaitWelcome };
  void say_hello();
  void answer(const Bytes& message);
  Step step_ = Step::Connecting;
};

/// The side that accepted.
class AcceptorHandshake final : public Handshake {
 public:
  AcceptorHandshake(Socket socket, const Key& key, Identity self, Admission admit)
      : Handshake(std::move(socket), key, self), admit_(std::move(admit)) {}
  State advance() override;
  [[nodiscard]] short events() const noexcept override;

 private:
  enum class Step : std::uint8_t { AwaitHello, AwaitProof };
  void challenge(const Bytes& message);
  void judge(const Bytes& message);
  Admission admit_;
  Step step_ = Step::AwaitHello;
};

}  // namespace roce::bootstrap

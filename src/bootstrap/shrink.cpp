// SPDX-License-Identifier: Apache-2.0
#include "src/bootstrap/shrink.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>

#include "src/bootstrap/roster.hpp"

namespace roce::bootstrap {
namespace {

constexpr int turn_ms = 20;

struct Invite {
  UniqueId id;
  std::vector<int> survivors;
};

Secret next_secret(const Secret& old, const Nonce& nonce) {
  Secret secret;
  crypto_generichash(secret.data(), secret.size(), nonce.data(), nonce.size(), old.data(),
                     old.size());
  return secret;
}

Bytes encode_invite(const Nonce& nonce, const std::string& host, std::uint16_t port,
                    std::span<const int> survivors) {
  return WireWriter()
      .put(std::as_bytes(std::span(nonce)))
      .put(std::string_view(host))
      .put(port)
      .put(encode_ranks({survivors.begin(), survivors.end()}))
      .bytes();
}

Invite decode_invite(std::span<const std::byte> payload, const Secret& old) {
  constexpr std::size_t nonce_bytes = std::tuple_size_v<Nonce>;
  WireReader reader(payload);
  Nonce nonce;
  const auto bytes = reader.take(nonce_bytes);
  std::transform(bytes.begin(), bytes.end(), nonce.begin(),
                 [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  Invite invite;
  invite.id.host = reader.text();
  invite.id.port = reader.get<std::uint16_t>();
  invite.id.secret = next_secret(old, nonce);
  invite.survivors = decode_ranks(reader.rest());
  return invite;
}

// The leader: a fresh port, one invite each, then an ordinary rendezvous.
Shrunk lead(Mesh& mesh, const Shrinking& shrinking, const Party& party) {
  const auto others = shrinking.survivors.subspan(1);
  Shrunk shrunk;
  const Nonce nonce = random_nonce();
  const bool local = std::all_of(others.begin(), others.end(), [&](int peer) {
    return mesh.own_address_towards(peer).is_loopback();
  });
  Listener listener = local ? Listener::for_host("127.0.0.1", 0) : Listener::anywhere(0);
  shrunk.id = {.host = mesh.own_address_towards(others[0]).host(),
               .port = listener.address().port(),
               .secret = next_secret(shrinking.secret, nonce)};
  for (const int peer : others) {
    const auto payload = encode_invite(nonce, mesh.own_address_towards(peer).host(), shrunk.id.port,
                                       shrinking.survivors);
    mesh.send(peer, encode_frame(FrameType::Invite, 0, payload));
  }
  shrunk.connections = meet_as_root(std::move(listener), shrunk.id.secret, party);
  return shrunk;
}

// Waits for the leader's invite to exactly these survivors.
Invite await_invite(Mesh& mesh, const Shrinking& shrinking, const Party& party) {
  const int leader = shrinking.survivors.front();
  std::vector<int> other_list;
  for (;;) {
    for (const Bytes& payload : mesh.take_invites(leader)) {
      Invite invite = decode_invite(payload, shrinking.secret);
      if (std::ranges::equal(invite.survivors, shrinking.survivors)) return invite;
      other_list = invite.survivors;
    }
    // A stale invite is no disagreement yet: the leader may have begun again with another list.
    if (party.deadline.passed() || (mesh.gone(leader) && !other_list.empty())) break;
    if (mesh.gone(leader)) throw Error(ErrorCode::PeerFailed, mesh.describe_gone(leader).message);
    mesh.pump(party.deadline.poll_ms(turn_ms));
  }
  if (!other_list.empty()) {
    throw Error(ErrorCode::Mismatch,
                fmt::format("rank {} shrinks to ranks {}, but rank {} to ranks {}; give all "
                            "survivors the same list",
                            shrinking.rank, fmt::join(shrinking.survivors, ","), leader,
                            fmt::join(other_list, ",")));
  }
  throw Error(ErrorCode::Timeout,
              fmt::format("rank {} waited {} ms for rank {} to call shrink, too", shrinking.rank,
                          party.deadline.timeout().count(), leader));
}

Shrunk follow(Mesh& mesh, const Shrinking& shrinking, const Party& party) {
  Invite invite = await_invite(mesh, shrinking, party);
  Shrunk shrunk;
  const auto latest = [&] {
    // The leader may have given up and begun again since.
    mesh.pump(0);
    for (const Bytes& payload : mesh.take_invites(shrinking.survivors.front())) {
      Invite newer = decode_invite(payload, shrinking.secret);
      if (std::ranges::equal(newer.survivors, shrinking.survivors)) invite = std::move(newer);
    }
    return invite.id;
  };
  shrunk.connections = meet_as_joiner(latest, party);
  shrunk.id = invite.id;
  return shrunk;
}

}  // namespace

Shrunk shrink_mesh(Mesh& mesh, const Shrinking& shrinking) {
  const auto survivors = shrinking.survivors;
  const auto me = std::ranges::find(survivors, shrinking.rank) - survivors.begin();
  const Party party{.rank = static_cast<int>(me),
                    .size = static_cast<int>(survivors.size()),
                    .deadline = Deadline(shrinking.timeout),
                    .known_gone = [&](int rank) {
                      mesh.pump(0);
                      return mesh.gone(survivors[static_cast<std::size_t>(rank)]);
                    }};
  return me == 0 ? lead(mesh, shrinking, party) : follow(mesh, shrinking, party);
}

}  // namespace roce::bootstrap

// SPDX-License-Identifier: Apache-2.0
#include "src/transport/ucx/connect.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "src/transport/ucx/handshake.hpp"
#include "src/transport/ucx/links.hpp"

namespace roce::transport::ucx {

std::unique_ptr<Transport> connect(Bootstrap& bootstrap, const Config& config,
                                   std::span<std::byte> memory, std::span<const int> peers) {
  std::unique_ptr<Links> links;
  Offer mine;
  mine.settings = fmt::format("protocol 1, {} bytes of slots, {}-endian", memory.size(),
                              std::endian::native == std::endian::little ? "little" : "big");
  attempt(mine, [&] {
    if (peers.empty()) return;
    links = std::make_unique<Links>(bootstrap.rank(), bootstrap.size(), memory, peers.size());
    mine.token = links->token();
    mine.address = links->worker().address();
  });
  const std::vector<Offer> offers = exchange(bootstrap, mine);
  Offer outcome;
  attempt(outcome, [&] {
    for (const int peer : peers) {
      const Offer& offer = offers[static_cast<std::size_t>(peer)];
      links->add({peer, offer.token, offer.address});
    }
    // Half of the time, so that a rank that is not reached can still say so.
    if (links != nullptr) links->greet_all(config.connect_timeout / 2);
  });
  static_cast<void>(exchange(bootstrap, outcome));
  return std::make_unique<Transport>(memory.data(), std::move(links));
}

}  // namespace roce::transport::ucx

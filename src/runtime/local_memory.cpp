// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/local_memory.hpp"

#include <exception>
#include <optional>

namespace roce::runtime {
namespace {

/// Maps the memories of this host; what goes wrong goes into `mine`.
Mappings map_all(int rank, const std::vector<PeerInfo>& peers, const transport::shm::Memory& own,
                 PeerInfo& mine) {
  Mappings mappings(peers.size());
  mappings[static_cast<std::size_t>(rank)] = own.mapping();
  try {
    for (std::size_t peer = 0; peer < peers.size(); ++peer) {
      if (static_cast<int>(peer) == rank || peers[peer].host != mine.host) continue;
      mappings[peer] = transport::shm::map_peer(peers[peer].memory, own.mapping()->bytes(),
                                                static_cast<int>(peer));
    }
  } catch (const std::exception& error) {
    mine.error = error.what();
  }
  return mappings;
}

}  // namespace

Mappings map_local_memory(Bootstrap& bootstrap, const PeerInfo& mine, std::size_t bytes) {
  PeerInfo offer = mine;
  std::optional<transport::shm::Memory> memory;
  try {
    memory.emplace(bytes);
    offer.memory = memory->name();
  } catch (const std::exception& error) {
    offer.error = error.what();
  }
  const std::vector<PeerInfo> offers = exchange(bootstrap, offer);
  Mappings mappings = map_all(bootstrap.rank(), offers, *memory, offer);
  // All tell whether that worked, so that all give up together.
  static_cast<void>(exchange(bootstrap, offer));
  memory->unlink();
  return mappings;
}

}  // namespace roce::runtime

// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/shm_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "roce/status.hpp"
#include "src/runtime/executor.hpp"
#include "src/runtime/lane_table.hpp"
#include "src/runtime/peers.hpp"
#include "src/transport/shm/chaos.hpp"
#include "src/transport/shm/memory.hpp"
#include "src/transport/shm/transport.hpp"

namespace roce::runtime {
namespace {

using Mappings = std::vector<std::shared_ptr<transport::shm::Mapping>>;

std::size_t bytes_for_each(const Config& config, int ranks) {
  const std::size_t share = config.slot_memory / static_cast<std::size_t>(ranks);
  return std::max(share / slot_memory_step, std::size_t{1}) * slot_memory_step;
}

void require_one_host(const std::vector<PeerInfo>& peers) {
  for (std::size_t rank = 1; rank < peers.size(); ++rank) {
    if (peers[rank].host == peers[0].host) continue;
    throw Error(ErrorCode::Unsupported,
                fmt::format("rank 0 is on host {} and rank {} on host {}; this build has shared "
                            "memory only, so all ranks must be on one host",
                            peers[0].host, rank, peers[rank].host));
  }
}

/// Maps all memories, then tells the others whether that worked, so that all give up together.
Mappings map_all(Bootstrap& bootstrap, const std::vector<PeerInfo>& peers,
                 const transport::shm::Memory& own, PeerInfo mine) {
  Mappings mappings(peers.size());
  try {
    for (std::size_t rank = 0; rank < peers.size(); ++rank) {
      mappings[rank] = static_cast<int>(rank) == bootstrap.rank()
                           ? own.mapping()
                           : transport::shm::map_peer(peers[rank].memory, own.mapping()->bytes(),
                                                      static_cast<int>(rank));
    }
  } catch (const std::exception& error) {
    mine.error = error.what();
  }
  static_cast<void>(exchange(bootstrap, mine));
  return mappings;
}

std::unique_ptr<Engine> make_engine(const Config& config, int rank, Mappings mappings) {
  if (config.transport == TransportKind::ShmChaos) {
    return std::make_unique<Executor<transport::shm::ChaosTransport>>(rank, std::move(mappings),
                                                                      config.chaos_seed);
  }
  return std::make_unique<Executor<transport::shm::Transport>>(rank, std::move(mappings));
}

}  // namespace

ShmGroup connect_shm(Bootstrap& bootstrap, const Config& config) {
  ShmGroup group;
  group.pinned_bytes = bytes_for_each(config, bootstrap.size());
  PeerInfo mine;
  mine.cpus = allowed_cpus();
  mine.settings = agreed_settings(config);
  std::optional<transport::shm::Memory> memory;
  try {
    mine.host = host_identity(config);
    memory.emplace(group.pinned_bytes);
    mine.memory = memory->name();
  } catch (const std::exception& error) {
    mine.error = error.what();
  }
  const std::vector<PeerInfo> peers = exchange(bootstrap, mine);
  require_one_host(peers);
  Mappings mappings = map_all(bootstrap, peers, *memory, mine);
  memory->unlink();
  group.oversubscribed = oversubscribed(peers, mine.host);
  group.engine = make_engine(config, bootstrap.rank(), std::move(mappings));
  return group;
}

}  // namespace roce::runtime

// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "roce/status.hpp"
#include "src/runtime/executor.hpp"
#include "src/runtime/lane_table.hpp"
#include "src/runtime/local_memory.hpp"
#include "src/runtime/network.hpp"
#include "src/runtime/peers.hpp"
#include "src/transport/mixed.hpp"
#include "src/transport/shm/chaos.hpp"
#include "src/transport/shm/transport.hpp"
#include "src/transport/ucx/connect.hpp"
#include "src/transport/verbs/connect.hpp"
#include "src/transport/verbs/software.hpp"

namespace roce::runtime {
namespace {

/// The part of ROCE_SLOT_MEMORY that a network may need for other things than slots: one in so
/// many.
constexpr std::size_t network_share = 8;

std::size_t whole_pages(std::size_t bytes) {
  return std::max(bytes / slot_memory_step, std::size_t{1}) * slot_memory_step;
}

PeerInfo introduction(const Config& config) {
  PeerInfo mine;
  mine.cpus = allowed_cpus();
  mine.settings = agreed_settings(config);
  mine.machine = machine_identity();
  try {
    mine.host = host_identity(config);
  } catch (const std::exception& error) {
    mine.error = error.what();
  }
  return mine;
}

/// The first rank that is on another host than rank 0; -1 when all are on one.
int first_elsewhere(const std::vector<PeerInfo>& peers) {
  for (std::size_t rank = 1; rank < peers.size(); ++rank) {
    if (peers[rank].host != peers[0].host) return static_cast<int>(rank);
  }
  return -1;
}

[[noreturn]] void unsupported(std::string text) {
  throw Error(ErrorCode::Unsupported, std::move(text));
}

/// A connection under way.
class Connector {
 public:
  Connector(Bootstrap& bootstrap, const Config& config)
      : bootstrap_(bootstrap),
        config_(config),
        mine_(introduction(config)),
        peers_(exchange(bootstrap, mine_)),
        elsewhere_(first_elsewhere(peers_)) {}

  Group run() {
    Group group = connected();
    group.crowded = group.crowded || oversubscribed(peers_, mine_.machine);
    return group;
  }

 private:
  Group connected() {
    switch (config_.transport) {
      case TransportKind::Verbs:
        return over_verbs(exchange_ports(bootstrap_, config_));
      case TransportKind::Ucx:
        return over_ucx();
      case TransportKind::Shm:
      case TransportKind::ShmChaos:
        return on_one_host();
      case TransportKind::Auto:
        break;
    }
    if (elsewhere_ < 0) return on_one_host();
    const Ports ports = exchange_ports(bootstrap_, config_);
    return ports.lacking.empty() ? over_verbs(ports) : instead_of_verbs(ports.lacking);
  }

  /// UCX where nobody asked for it: that is said, as it is slower.
  Group instead_of_verbs(const std::string& reason) {
    try {
      Group group = over_ucx();
      if (bootstrap_.rank() == 0) {
        fmt::print(stderr,
                   "roce: using UCX, not verbs: {}; ROCE_TRANSPORT=ucx asks for that and silences "
                   "this line\n",
                   reason);
      }
      return group;
    } catch (const Error& error) {
      throw Error(static_cast<ErrorCode>(error.code().value()),
                  fmt::format("neither verbs nor UCX can be used; verbs: {}; UCX: {}", reason,
                              error.what()));
    }
  }

  Group on_one_host() {
    if (elsewhere_ >= 0) {
      unsupported(
          fmt::format("rank 0 is on host {} and rank {} on host {}; ROCE_TRANSPORT={} "
                      "joins ranks of one host only",
                      peers_[0].host, elsewhere_, peers_[static_cast<std::size_t>(elsewhere_)].host,
                      to_string(config_.transport)));
    }
    Group group{nullptr, topology::Fabric::make(topology::FabricClass::Mesh, size())};
    group.slot_bytes = whole_pages(share());
    group.pinned_bytes = group.slot_bytes;
    Mappings mappings = map_local_memory(bootstrap_, mine_, group.slot_bytes);
    if (config_.transport == TransportKind::ShmChaos) {
      group.engine = std::make_unique<Executor<transport::shm::ChaosTransport>>(
          bootstrap_.rank(), std::move(mappings), config_.chaos_seed);
    } else {
      group.engine = std::make_unique<Executor<transport::shm::Transport>>(bootstrap_.rank(),
                                                                           std::move(mappings));
    }
    return group;
  }

  /// Refuses a network between ranks of one host.
  void require_hosts() const {
    if (elsewhere_ >= 0 || size() == 1) return;
    unsupported(
        fmt::format("ROCE_TRANSPORT={} joins hosts, but all ranks are on host {}, where they share "
                    "memory; to use the network all the same, give them different ROCE_HOSTID",
                    to_string(config_.transport), mine_.host));
  }

  Group over_verbs(const Ports& ports) {
    if (!ports.lacking.empty()) unsupported("verbs cannot be used: " + ports.lacking);
    require_hosts();
    Group group{nullptr, verbs_fabric(peers_, ports)};
    if (std::string text = unreachable_text(group.fabric, peers_, ports); !text.empty()) {
      unsupported(std::move(text));
    }
    Mappings mappings = map_slots(group);
    const auto& own = mappings[static_cast<std::size_t>(bootstrap_.rank())];
    auto network = transport::verbs::connect(
        bootstrap_, config_, std::span(own->data(), own->bytes()), ports.of_rank,
        network_peers(group.fabric, peers_, bootstrap_.rank()));
    for (const auto& port : ports.of_rank[static_cast<std::size_t>(bootstrap_.rank())]) {
      group.crowded = group.crowded || transport::verbs::is_software(port.device);
    }
    group.pinned_bytes += network->extra_pinned_bytes();
    group.engine = std::make_unique<Executor<transport::Mixed<transport::verbs::Transport>>>(
        bootstrap_.rank(), std::move(mappings), std::move(network));
    return group;
  }

  /// Over UCX every rank reaches every other.
  Group over_ucx() {
    require_hosts();
    Group group{nullptr, topology::Fabric::make(topology::FabricClass::Switch, size())};
    // A look at a socket is a system call, beside which giving way costs nothing that shows.
    group.crowded = elsewhere_ >= 0;
    Mappings mappings = map_slots(group);
    const auto& own = mappings[static_cast<std::size_t>(bootstrap_.rank())];
    auto network =
        transport::ucx::connect(bootstrap_, config_, std::span(own->data(), own->bytes()),
                                network_peers(group.fabric, peers_, bootstrap_.rank()));
    group.engine = std::make_unique<Executor<transport::Mixed<transport::ucx::Transport>>>(
        bootstrap_.rank(), std::move(mappings), std::move(network));
    return group;
  }

  /// Slot memory that leaves the network its share.
  Mappings map_slots(Group& group) {
    group.slot_bytes = whole_pages(share() - share() / network_share);
    group.pinned_bytes = group.slot_bytes;
    return map_local_memory(bootstrap_, mine_, group.slot_bytes);
  }

  [[nodiscard]] int size() const { return bootstrap_.size(); }
  [[nodiscard]] std::size_t share() const {
    return config_.slot_memory / static_cast<std::size_t>(size());
  }

  Bootstrap& bootstrap_;
  const Config& config_;
  PeerInfo mine_;
  std::vector<PeerInfo> peers_;
  int elsewhere_;
};

}  // namespace

Group connect(Bootstrap& bootstrap, const Config& config) {
  return Connector(bootstrap, config).run();
}

}  // namespace roce::runtime

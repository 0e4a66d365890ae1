// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/connect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "src/transport/verbs/handshake.hpp"
#include "src/transport/verbs/links.hpp"
#include "src/transport/verbs/rails.hpp"

namespace roce::transport::verbs {
namespace {

using Ports = std::vector<std::vector<PortInfo>>;

/// A queue pair that will be made.
struct Planned {
  int peer = -1;
  std::size_t rail = 0;
  Rail ends;
};

/// Makes one rank's links.
class Builder {
 public:
  Builder(const Config& config, int rank, std::span<std::byte> memory, const Ports& ports)
      : config_(config), ports_(ports), links_(std::make_unique<Links>()) {
    links_->rank = rank;
    links_->memory = memory;
    links_->stripe_above = config.stripe_above;
    // Devices round the timeout up, to at most twice as much.
    links_->drain = 2 * config.ack_timeout * (config.retry_count + 1);
    links_->peers.resize(ports.size());
  }

  /// Decides on queue pairs. Throws Unsupported for a peer without a rail.
  void plan(std::span<const int> peers);
  /// Opens devices, makes queue pairs and posts receives.
  void make();
  [[nodiscard]] std::vector<Endpoint> endpoints();
  /// Connects each queue pair with the end that its peer made for it.
  void connect(const std::vector<Offer>& offers);
  [[nodiscard]] bool in_order() const;
  [[nodiscard]] std::unique_ptr<Transport> finish(FlagMode mode);

 private:
  [[nodiscard]] const std::vector<PortInfo>& mine() const {
    return ports_[static_cast<std::size_t>(links_->rank)];
  }
  [[nodiscard]] std::size_t receives(const std::string& device) const;
  void make_adapters();
  void make_words();
  [[nodiscard]] LinkText link_text(const Planned& plan) const;
  [[nodiscard]] Route route(const Planned& plan, std::uint32_t psn, const Endpoint& remote) const;

  const Config& config_;
  const Ports& ports_;
  std::unique_ptr<Links> links_;
  std::vector<Planned> planned_;     ///< as Links::connections
  std::vector<std::uint32_t> psns_;  ///< as planned_
};

void Builder::plan(std::span<const int> peers) {
  for (const int peer : peers) {
    const auto& theirs = ports_[static_cast<std::size_t>(peer)];
    const std::vector<Rail> found = rails(mine(), theirs);
    if (found.empty()) {
      throw Error(
          ErrorCode::Unsupported,
          fmt::format("ranks {} and {} share no cable: rank {} has {}; rank {} has {}; give "
                      "both ends of a cable addresses of one subnet",
                      links_->rank, peer, links_->rank, list_ports(mine()), peer,
                      list_ports(theirs)));
    }
    links_->peers[static_cast<std::size_t>(peer)] = {planned_.size(), found.size()};
    // Small puts take the first: different rails for different peers.
    const auto turn = static_cast<std::size_t>(links_->rank) + static_cast<std::size_t>(peer);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t rail = (i + turn) % found.size();
      planned_.push_back({peer, rail, found[rail]});
    }
  }
}

/// Writes with immediate that can be waiting to be polled: one a slot, as a slot is written again
/// only after its flag was seen; two where a payload's halves come through one device.
std::size_t Builder::receives(const std::string& device) const {
  if (config_.flag_mode != FlagMode::Auto && config_.flag_mode != FlagMode::Imm) return 0;
  std::size_t rails_of_one_peer = 1;
  for (const Planned& plan : planned_) {
    const auto same = std::ranges::count_if(planned_, [&](const Planned& other) {
      return other.peer == plan.peer && mine()[other.ends.my_port].device == device;
    });
    rails_of_one_peer = std::max(rails_of_one_peer, static_cast<std::size_t>(same));
  }
  return links_->memory.size() / slot_bytes(0) * std::min(rails_of_one_peer, std::size_t{2});
}

void Builder::make_adapters() {
  std::map<std::string, std::size_t> connections;
  for (const Planned& plan : planned_) ++connections[mine()[plan.ends.my_port].device];
  for (const auto& [device, count] : connections) {
    links_->adapters.push_back(
        std::make_unique<Adapter>(device, Adapter::Needs{links_->memory, count, receives(device)}));
  }
}

LinkText Builder::link_text(const Planned& plan) const {
  const PortInfo& local = mine()[plan.ends.my_port];
  const PortInfo& remote = ports_[static_cast<std::size_t>(plan.peer)][plan.ends.peer_port];
  return {links_->rank, plan.peer, end_text(local, local.gids[plan.ends.my_gid]),
          end_text(remote, remote.gids[plan.ends.peer_gid])};
}

void Builder::make() {
  make_adapters();
  links_->connections.reserve(planned_.size());
  std::random_device random;
  for (const Planned& plan : planned_) {
    const PortInfo& port = mine()[plan.ends.my_port];
    const auto adapter = std::ranges::find_if(links_->adapters, [&](const auto& candidate) {
      return candidate->context().device() == port.device;
    });
    links_->connections.emplace_back(links_->connections.size(), **adapter, link_text(plan),
                                     static_cast<std::uint8_t>(port.port),
                                     port.gids[plan.ends.my_gid].bytes);
    constexpr unsigned psn_mask = 0xffffff;
    psns_.push_back(random() & psn_mask);
    links_->counters.try_emplace(port_name(port), ports_folder(port.device), port.port);
  }
  make_words();
}

void Builder::make_words() {
  if (planned_.empty()) return;
  constexpr std::size_t zeros = align_up(longest_gap, cache_line);
  std::size_t bytes = zeros;
  for (const Connection& connection : links_->connections) bytes += connection.ring_bytes();
  links_->words.resize(bytes);
  std::byte* ring = links_->words.data() + zeros;
  for (Connection& connection : links_->connections) {
    connection.use({links_->words.data(), ring});
    ring += connection.ring_bytes();
  }
  for (const auto& adapter : links_->adapters) adapter->register_words(links_->words);
}

std::vector<Endpoint> Builder::endpoints() {
  std::vector<Endpoint> ends;
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    const Connection& connection = links_->connections[i];
    ends.push_back({planned_[i].peer, planned_[i].rail, connection.queue_pair().number(), psns_[i],
                    reinterpret_cast<std::uint64_t>(links_->memory.data()),
                    connection.adapter().slots_remote_key()});
  }
  return ends;
}

Route Builder::route(const Planned& plan, std::uint32_t psn, const Endpoint& remote) const {
  const PortInfo& local = mine()[plan.ends.my_port];
  const PortInfo& peer = ports_[static_cast<std::size_t>(plan.peer)][plan.ends.peer_port];
  return {.local_port = static_cast<std::uint8_t>(local.port),
          .local_gid_index = static_cast<std::uint8_t>(local.gids[plan.ends.my_gid].index),
          .path_mtu = std::min(local.mtu, peer.mtu),
          .traffic_class = static_cast<std::uint8_t>(config_.traffic_class),
          .ack_timeout = ack_timeout_exponent(config_.ack_timeout),
          .retry_count = static_cast<std::uint8_t>(config_.retry_count),
          .local_psn = psn,
          .remote_gid = peer.gids[plan.ends.peer_gid].bytes,
          .remote_number = remote.number,
          .remote_psn = remote.psn};
}

void Builder::connect(const std::vector<Offer>& offers) {
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    const Planned& plan = planned_[i];
    const auto& ends = offers[static_cast<std::size_t>(plan.peer)].endpoints;
    const auto remote = std::ranges::find_if(ends, [&](const Endpoint& end) {
      return end.peer == links_->rank && end.rail == plan.rail;
    });
    if (remote == ends.end()) {
      throw Error(
          ErrorCode::Mismatch,
          fmt::format("rank {} made no queue pair for rank {}'s rail {}; ranks must agree on "
                      "who talks to whom",
                      plan.peer, links_->rank, plan.rail));
    }
    links_->connections[i].connect(route(plan, psns_[i], *remote), {remote->address, remote->key});
  }
}

bool Builder::in_order() const {
  return std::ranges::all_of(links_->connections, [](const Connection& connection) {
    return connection.queue_pair().places_in_order();
  });
}

std::unique_ptr<Transport> Builder::finish(FlagMode mode) {
  links_->mode = mode;
  if (mode == FlagMode::Imm) links_->completed.resize(links_->memory.size() / cache_line);
  return std::make_unique<Transport>(std::move(links_));
}

}  // namespace

std::unique_ptr<Transport> connect(Bootstrap& bootstrap, const Config& config,
                                   std::span<std::byte> memory, const Ports& ports_of_all,
                                   std::span<const int> peers) {
  Builder builder(config, bootstrap.rank(), memory, ports_of_all);
  Offer mine;
  mine.settings = fmt::format("ROCE_FLAG_MODE={}, {} bytes of slots", to_string(config.flag_mode),
                              memory.size());
  attempt(mine, [&] {
    builder.plan(peers);
    builder.make();
    mine.endpoints = builder.endpoints();
  });
  const std::vector<Offer> offers = exchange(bootstrap, mine);
  // The second round also tells that everybody's receives are posted and queue pairs ready.
  Offer outcome;
  attempt(outcome, [&] {
    builder.connect(offers);
    outcome.in_order = builder.in_order();
  });
  const std::vector<Offer> outcomes = exchange(bootstrap, outcome);
  FlagMode mode = config.flag_mode;
  if (mode == FlagMode::Auto) {
    // Trailer mode is sound only where the device vouches for the order within a write. Reliable
    // connections alone promise that a write is in place when its completion is reported: Imm.
    const bool in_order =
        std::ranges::all_of(outcomes, [](const Offer& offer) { return offer.in_order; });
    mode = in_order ? FlagMode::Trailer : FlagMode::Imm;
  }
  return builder.finish(mode);
}

}  // namespace roce::transport::verbs

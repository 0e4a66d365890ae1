// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/patterns.hpp"

#include <bit>

namespace roce::schedule {

int floor_log2(int value) noexcept { return std::bit_width(static_cast<unsigned>(value)) - 1; }

bool is_power_of_two(int value) noexcept {
  return value > 0 && std::has_single_bit(static_cast<unsigned>(value));
}

Schedule empty_schedule(Collective collective, const char* name, const topology::Fabric& fabric,
                        int slots, int root) {
  Schedule schedule;
  schedule.collective = collective;
  schedule.name = name;
  schedule.ranks = fabric.ranks();
  schedule.root = root;
  schedule.slots = static_cast<std::uint16_t>(slots);
  schedule.programs.resize(static_cast<std::size_t>(fabric.ranks()));
  return schedule;
}

Schedule alone(Collective collective, const char* name, const topology::Fabric& fabric) {
  Schedule schedule = empty_schedule(collective, name, fabric, 0);
  if (collective != Collective::Barrier) schedule.programs[0] = {copy(out(), in())};
  return schedule;
}

std::vector<int> peers_to(int rank, int ranks) {
  std::vector<int> peers;
  for (int step = 1; step < ranks; ++step) peers.push_back((rank + step) % ranks);
  return peers;
}

std::vector<int> peers_from(int rank, int ranks) {
  std::vector<int> peers;
  for (int step = 1; step < ranks; ++step) peers.push_back(modulo(rank - step, ranks));
  return peers;
}

Chain::Chain(const topology::Fabric& fabric)
    : order_(fabric.order()),
      position_(order_.size()),
      closed_(order_.size() > 2 && fabric.linked(order_.back(), order_.front())) {
  for (std::size_t i = 0; i < order_.size(); ++i) {
    position_[static_cast<std::size_t>(order_[i])] = static_cast<int>(i);
  }
}

int Chain::ahead(int rank, int way, int distance) const noexcept {
  const int target = position_[static_cast<std::size_t>(rank)] + (way == 0 ? distance : -distance);
  if (!closed_ && (target < 0 || target >= ranks())) return -1;
  return around(rank, way, distance);
}

int Chain::around(int rank, int way, int distance) const noexcept {
  const int target = position_[static_cast<std::size_t>(rank)] + (way == 0 ? distance : -distance);
  return order_[static_cast<std::size_t>(modulo(target, ranks()))];
}

}  // namespace roce::schedule

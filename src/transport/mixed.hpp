// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/transport/shm/transport.hpp"
#include "src/transport/transport.hpp"

namespace roce::transport {

/// Shared memory to the ranks on this host, a network to the others, all with one slot memory. See
/// transport.hpp for the contract.
template <Transport Network>
class Mixed {
 public:
  static constexpr bool reads_source_at_once = false;
  static constexpr bool shares_slots = false;

  /// `mappings` by rank: this rank's slot memory, which `network` works on too, and those of the
  /// ranks on this host; null for all others.
  Mixed(int rank, std::vector<std::shared_ptr<shm::Mapping>> mappings,
        std::unique_ptr<Network> network)
      : network_(std::move(network)) {
    bool alone = true;
    for (std::size_t peer = 0; peer < mappings.size(); ++peer) {
      local_.push_back(mappings[peer] != nullptr);
      alone = alone && (!local_.back() || static_cast<int>(peer) == rank);
    }
    name_ = alone ? std::string(Network::name()) : "shm+" + std::string(Network::name());
    shm_.emplace(rank, std::move(mappings));
  }

  bool put(int peer, std::size_t flag_offset, const std::byte* source, std::size_t bytes,
           Flag epoch) noexcept {
    return local(peer) ? shm_->put(peer, flag_offset, source, bytes, epoch)
                       : network_->put(peer, flag_offset, source, bytes, epoch);
  }
  [[nodiscard]] bool arrived(int from, std::size_t flag_offset, Flag epoch) const noexcept {
    return local(from) ? shm_->arrived(from, flag_offset, epoch)
                       : network_->arrived(from, flag_offset, epoch);
  }
  [[nodiscard]] bool flushed(int peer) noexcept { return local(peer) || network_->flushed(peer); }
  void poll() noexcept { network_->poll(); }
  [[nodiscard]] std::optional<Failure> failure() noexcept { return network_->failure(); }
  [[nodiscard]] Path describe(int peer) const {
    return local(peer) ? shm::Transport::describe(peer) : network_->describe(peer);
  }
  void clear(std::size_t begin, std::size_t end) noexcept { network_->clear(begin, end); }
  [[nodiscard]] std::byte* memory() const noexcept { return shm_->memory(); }
  [[nodiscard]] std::string_view name() const noexcept { return name_; }

 private:
  [[nodiscard]] bool local(int peer) const noexcept {
    return local_[static_cast<std::size_t>(peer)] != 0;
  }
  std::vector<char> local_;  ///< by rank; not bool, which would be packed
  std::string name_;
  std::optional<shm::Transport> shm_;
  std::unique_ptr<Network> network_;  ///< ends before the memory that it has registered
};

}  // namespace roce::transport

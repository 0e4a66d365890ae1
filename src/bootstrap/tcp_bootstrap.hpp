// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "roce/bootstrap.hpp"
#include "src/bootstrap/mesh.hpp"

namespace roce::bootstrap {

/// The library's own Bootstrap: a full mesh of TCP connections.
class TcpBootstrap final : public Bootstrap {
 public:
  TcpBootstrap(const Secret& secret, int rank, Connections connections,
               std::chrono::milliseconds timeout);

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }
  [[nodiscard]] std::vector<std::vector<std::byte>> all_gather(
      std::span<const std::byte> mine) override;
  void announce(const Failure& failure) noexcept override;
  [[nodiscard]] std::optional<Failure> poll_failure() noexcept override;
  [[nodiscard]] bool peer_gone(int peer) const noexcept override;
  [[nodiscard]] std::unique_ptr<Bootstrap> shrink(std::span<const int> survivors) override;

 private:
  void check_survivors(std::span<const int> survivors) const;
  [[nodiscard]] std::vector<int> collect(std::vector<Bytes>& all, std::vector<bool>& have);
  void check_gather(const std::vector<int>& missing, const Deadline& deadline) const;

  Secret secret_;
  int rank_;
  int size_;
  std::chrono::milliseconds timeout_;
  Mesh mesh_;
  std::uint32_t gathers_ = 0;
};

}  // namespace roce::bootstrap

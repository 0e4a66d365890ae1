// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "roce/roce.hpp"
#include "src/transport/shm/memory.hpp"
#include "src/transport/verbs/connect.hpp"
#include "src/transport/verbs/devices.hpp"

namespace roce::probe {

/// What a check found wrong.
class Wrong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The device or the connection failed, as the transport says.
class Broken : public std::runtime_error {
 public:
  explicit Broken(Failure failure)
      : std::runtime_error(failure.message), failure_(std::move(failure)) {}
  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }

 private:
  Failure failure_;
};

/// A rank of a job that the environment describes (ROCE_RANK, ROCE_HCA and so on), and its slots:
/// `copies` for each sender, and as many staging buffers.
class Session {
 public:
  static constexpr std::size_t capacity = 40'000;
  static constexpr std::size_t copies = 2;
  static constexpr std::size_t signal_slots = 128;

  /// Throws Wrong where this rank has no RDMA port.
  Session();

  /// New slot memory and a transport over it, to all ranks with a shared cable, or to `peers`.
  transport::verbs::Transport& connect(FlagMode mode,
                                       const std::optional<std::vector<int>>& peers = {});

  [[nodiscard]] int rank() const noexcept { return bootstrap_->rank(); }
  [[nodiscard]] int size() const noexcept { return bootstrap_->size(); }
  [[nodiscard]] const std::vector<int>& neighbours() const noexcept { return neighbours_; }
  [[nodiscard]] std::size_t rails_to(int peer) const;
  [[nodiscard]] Config& config() noexcept { return config_; }
  [[nodiscard]] Bootstrap& bootstrap() noexcept { return *bootstrap_; }
  [[nodiscard]] transport::verbs::Transport& transport() noexcept { return *transport_; }

  /// Of the flag of the slot that `sender` fills.
  [[nodiscard]] std::size_t flag_offset(int sender, std::uint64_t epoch) const noexcept;
  [[nodiscard]] std::size_t signal_offset(std::size_t slot) const noexcept;
  [[nodiscard]] std::byte* staging(std::uint64_t epoch) noexcept;

  /// Polls until `done`. Throws Broken for a failure, also a peer's, and Wrong after ROCE_TIMEOUT,
  /// naming `what`.
  void wait(const char* what, const std::function<bool()>& done);
  /// Waits until the put has room.
  void put(int peer, std::size_t flag_offset, const std::byte* source, std::size_t bytes,
           std::uint64_t epoch);
  /// Waits for the flags of `bytes` of payload.
  void await(int from, std::size_t flag_offset, std::size_t bytes, std::uint64_t epoch);
  void barrier();
  /// From now on waits find failures by the transport alone.
  void ignore_peers() noexcept { hears_peers_ = false; }

 private:
  bool hears_peers_ = true;
  LaunchInfo launch_;
  Config config_;
  std::unique_ptr<Bootstrap> bootstrap_;
  std::vector<std::vector<transport::verbs::PortInfo>> ports_;
  std::vector<int> neighbours_;
  std::unique_ptr<transport::shm::Memory> memory_;
  std::unique_ptr<transport::verbs::Transport> transport_;
};

/// The byte at `position` of what `sender` sends in `epoch`.
[[nodiscard]] inline std::byte pattern(int sender, std::uint64_t epoch, std::size_t position) {
  const std::uint64_t mixed =
      (epoch * 131 + static_cast<std::uint64_t>(sender) * 31 + position) * 0x9E3779B97F4A7C15U;
  return static_cast<std::byte>(mixed >> 56U);
}

// The checks; each throws Wrong or Broken.
void check_exchange(Session& session);
void check_queue(Session& session);
void check_strangers(Session& session);
void check_killed(Session& session);
/// Exchanges for some seconds; `expected` is part of the failure that must come, or empty.
void soak(Session& session, std::chrono::seconds duration, const std::string& expected);
void measure_latency(Session& session, std::size_t bytes, std::size_t rounds);

}  // namespace roce::probe

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

#include "src/transport/shm/transport.hpp"

namespace roce::transport::shm {

/// Shared memory that behaves as a network may: a thread of its own carries the puts out late, in
/// an order drawn from a seed, reading each source and writing each payload piece by piece just
/// before the flag. What runs right here does not lean on timing or on the order of puts. For
/// tests: it locks and is slow. See transport.hpp for the contract.
class ChaosTransport {
 public:
  static constexpr bool reads_source_at_once = false;
  static constexpr bool shares_slots = false;

  ChaosTransport(int rank, std::vector<std::shared_ptr<Mapping>> mappings, std::uint64_t seed);
  /// Carries out what is pending, then stops.
  ~ChaosTransport();
  ChaosTransport(const ChaosTransport&) = delete;
  ChaosTransport& operator=(const ChaosTransport&) = delete;

  bool put(int peer, std::size_t flag_offset, const std::byte* source, std::size_t bytes,
           Flag epoch) noexcept;
  [[nodiscard]] bool arrived(int from, std::size_t flag_offset, Flag epoch) const noexcept {
    return wire_.arrived(from, flag_offset, epoch);
  }
  [[nodiscard]] bool flushed(int peer) const noexcept;
  static void poll() noexcept {}
  [[nodiscard]] static std::optional<Failure> failure() noexcept { return std::nullopt; }
  [[nodiscard]] static Path describe(int /*peer*/) { return {"shm_chaos", "shm_chaos", {}}; }
  void clear(std::size_t begin, std::size_t end) noexcept { wire_.clear(begin, end); }
  [[nodiscard]] std::byte* memory() const noexcept { return wire_.memory(); }
  [[nodiscard]] static std::string_view name() noexcept { return "shm_chaos"; }

 private:
  struct Put {
    int peer;
    std::size_t flag_offset;
    const std::byte* source;
    std::size_t bytes;
    Flag epoch;
  };
  void carry();
  void deliver(const Put& put);

  Transport wire_;
  std::mt19937_64 random_;
  std::vector<std::byte> packet_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::vector<Put> pending_;
  std::vector<std::size_t> unfinished_;  ///< puts to each peer whose source may still be read
  bool stopping_ = false;
  std::thread carrier_;
};

}  // namespace roce::transport::shm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "src/runtime/lane.hpp"
#include "src/schedule/verifier.hpp"

namespace roce::runtime {

/// A rank's slot memory is a multiple of this: whole pages.
inline constexpr std::size_t slot_memory_step = 4096;

/// Shares the slot memory out to schedules, a lane for each. Every rank makes the same calls in the
/// same order, so lanes lie alike everywhere without a word between the ranks.
class LaneTable {
 public:
  /// `bytes` of slot memory; `segment_limit` bounds segments, 0 for the built-in bound. Epochs
  /// begin at `first_epoch`, a multiple of 2^16 that is not 0.
  LaneTable(std::size_t bytes, std::size_t segment_limit,
            transport::Flag first_epoch = transport::Flag{1} << 16);

  /// The schedule's lane, made if need be; null when the memory is used up: then quiesce the
  /// communicator and clear(). Throws roce::Error (Unsupported) when it would not fit even alone.
  [[nodiscard]] Lane* acquire(const schedule::VerifiedSchedule& schedule);
  /// The lanes made so far outlive clear().
  void keep() noexcept { kept_ = used_; }
  /// Bytes at the beginning of the slot memory that belong to kept lanes.
  [[nodiscard]] std::size_t kept_bytes() const noexcept { return kept_; }
  /// Forgets all other lanes. Nothing may be in flight in them on any rank, and their memory must
  /// be zero everywhere.
  void clear() noexcept;
  /// Changes with every clear(): lanes from before are gone.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

 private:
  std::size_t bytes_;
  std::size_t segment_limit_;
  std::size_t used_;
  std::size_t kept_ = transport::control_bytes;
  std::uint64_t generation_ = 0;
  transport::Flag first_epoch_;
  std::map<std::string, std::unique_ptr<Lane>> lanes_;
};

}  // namespace roce::runtime

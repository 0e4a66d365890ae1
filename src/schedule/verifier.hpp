// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/schedule/ir.hpp"
#include "topology/fabric.hpp"

namespace roce::schedule {

/// Why a schedule was refused.
enum class Fault : std::uint8_t {
  None,
  Malformed,  ///< an operand, peer, slot or shape that makes no sense
  OffFabric,  ///< a put or signal between ranks that share no link
  Deadlock,   ///< a cycle, or a wait that nothing satisfies
  Race,       ///< two conflicting accesses that nothing orders
  Wrong,      ///< the result is not the collective's, or ranks disagree on its bits
};
[[nodiscard]] std::string_view to_string(Fault fault) noexcept;

/// The outcome of a check at one depth.
struct Verdict {
  Fault fault = Fault::None;
  /// Names the two accesses, the link, the cycle or the wrong result. Empty when sound.
  std::string reason;
  Numerics numerics = Numerics::Agreed;  ///< meaningful when sound
  [[nodiscard]] bool sound() const noexcept { return fault == Fault::None; }
};

/// What the verifier computes about a sound schedule.
struct ScheduleFacts {
  int depth = 1;              ///< the least power of two of slot copies that is free of races
  bool flush_needed = false;  ///< it has flushes, and is unsound without them
  Numerics numerics = Numerics::Agreed;
  int hops = 0;     ///< puts and signals on the longest dependent path of one epoch
  int puts = 0;     ///< the most puts and signals that one rank makes
  double sent = 0;  ///< the most that one rank sends, in units of the whole vector
};

/// The part of the whole vector that a slot holds on a rank, as chunks of `of`. count 0 when the
/// rank never uses it, or uses it for signals only.
struct SlotExtent {
  std::uint16_t first = 0;
  std::uint16_t count = 0;
  std::uint16_t of = 1;
};

/// A schedule with its proof. Only verify() makes one, and executors take nothing else. Immutable,
/// so copies share it and threads may read it together.
class VerifiedSchedule {
 public:
  [[nodiscard]] const Schedule& schedule() const noexcept { return data_->schedule; }
  [[nodiscard]] const ScheduleFacts& facts() const noexcept { return data_->facts; }
  [[nodiscard]] const SlotExtent& extent(int rank, int slot) const noexcept {
    return data_->extents[static_cast<std::size_t>(rank) * data_->schedule.slots +
                          static_cast<std::size_t>(slot)];
  }
  /// True for a Reduce whose result already holds every rank's contribution: where Avg divides.
  [[nodiscard]] bool completes(int rank, std::size_t operation) const noexcept {
    return data_->completes[static_cast<std::size_t>(rank)][operation];
  }

 private:
  struct Data {
    Schedule schedule;
    ScheduleFacts facts;
    std::vector<SlotExtent> extents;
    std::vector<std::vector<bool>> completes;
  };
  explicit VerifiedSchedule(std::shared_ptr<const Data> data) noexcept : data_(std::move(data)) {}
  friend class Verification;
  std::shared_ptr<const Data> data_;
};

/// Checks one depth, both with separate buffers and in place. Never throws on a bad schedule: that
/// is a verdict.
[[nodiscard]] Verdict check(const Schedule& schedule, const topology::Fabric& fabric, int depth);

/// Proves a schedule sound on a fabric, or throws roce::Error (InvalidArgument) with the reason.
/// The proof: race freedom over depth + 1 epochs by happens-before, plus one symbolic run; without
/// a race that run stands for all interleavings.
///
/// Depth d proves every multiple of d: it makes a subset of the accesses share a slot.
[[nodiscard]] VerifiedSchedule verify(Schedule schedule, const topology::Fabric& fabric);

}  // namespace roce::schedule

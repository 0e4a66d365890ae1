// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/lane_table.hpp"

#include <fmt/format.h>

#include <utility>

#include "roce/status.hpp"

namespace roce::runtime {
namespace {

/// Epochs of one lane that may be in flight together.
constexpr std::size_t streams_per_lane = 2;
/// A segment no longer gains from being larger than this.
constexpr std::size_t default_segment_limit = std::size_t{128} << 10;

/// The part of the slot memory that one lane may take. Broadcast has a lane for each root.
std::size_t share(Collective collective, std::size_t bytes) {
  switch (collective) {
    case Collective::AllReduce:
      return bytes / 4;
    case Collective::AllGather:
    case Collective::ReduceScatter:
      return bytes / 8;
    case Collective::Broadcast:
    case Collective::Barrier:
      break;
  }
  return bytes / 32;
}

std::string key(const schedule::Schedule& schedule) {
  return fmt::format("{}/{}/{}", to_string(schedule.collective), schedule.name, schedule.root);
}

}  // namespace

LaneTable::LaneTable(std::size_t bytes, std::size_t segment_limit, transport::Flag first_epoch)
    : bytes_(bytes),
      segment_limit_(segment_limit == 0 ? default_segment_limit : segment_limit),
      used_(transport::control_bytes),
      first_epoch_(first_epoch) {}

Lane* LaneTable::acquire(const schedule::VerifiedSchedule& schedule) {
  const schedule::Schedule& plain = schedule.schedule();
  const std::string lane_key = key(plain);
  if (const auto found = lanes_.find(lane_key); found != lanes_.end()) return found->second.get();
  const auto depth = static_cast<std::size_t>(schedule.facts().depth);
  const std::size_t copies = depth * streams_per_lane;
  LaneLayout layout =
      lay_out_within(schedule, copies, share(plain.collective, bytes_), segment_limit_);
  const std::size_t needed = layout.copy_bytes * copies;
  const std::size_t in_all = transport::align_up(needed + kept_, slot_memory_step);
  if (needed + kept_ > bytes_) {
    throw Error(
        ErrorCode::Unsupported,
        fmt::format("{}/{} of {} ranks needs {} bytes of slots a rank at least, there are {}; "
                    "raise ROCE_SLOT_MEMORY to {} or more",
                    to_string(plain.collective), plain.name, plain.ranks, in_all, bytes_,
                    in_all * static_cast<std::size_t>(plain.ranks)));
  }
  if (used_ + needed > bytes_) return nullptr;
  auto lane = std::make_unique<Lane>(fmt::format("{}/{}", to_string(plain.collective), plain.name),
                                     std::move(layout), used_, copies, depth, first_epoch_);
  used_ += lane->bytes();
  return lanes_.emplace(lane_key, std::move(lane)).first->second.get();
}

void LaneTable::clear() noexcept {
  std::erase_if(lanes_, [this](const auto& entry) { return entry.second->origin >= kept_; });
  used_ = kept_;
  ++generation_;
}

}  // namespace roce::runtime

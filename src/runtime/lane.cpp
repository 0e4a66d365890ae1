// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/lane.hpp"

#include <utility>

namespace roce::runtime {

Lane::Lane(std::string lane_name, LaneLayout lane_layout, std::size_t lane_origin,
           std::size_t lane_copies, std::size_t depth, transport::Flag first_epoch)
    : name(std::move(lane_name)),
      layout(std::move(lane_layout)),
      origin(lane_origin),
      copies(lane_copies),
      streams(lane_copies / depth),
      scratch(lane_copies * layout.flag_offsets.size() * scratch_bytes),
      next_epoch(first_epoch) {
  for (std::size_t i = 0; i < streams.size(); ++i) streams[i].epoch = first_epoch + i;
}

}  // namespace roce::runtime

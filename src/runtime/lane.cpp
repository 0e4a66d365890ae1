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

void Lane::push(Request& request) noexcept {
  request.first_epoch = next_epoch;
  request.finished = 0;
  request.next = nullptr;
  next_epoch += request.segments;
  Request** link = &head;
  while (*link != nullptr) link = &(*link)->next;
  *link = &request;
}

bool Lane::load(Stream& stream, std::byte* memory) noexcept {
  // Unsigned differences, so that epochs may wrap.
  if (next_epoch - stream.epoch - 1 >= next_epoch - head->first_epoch) return false;
  Request* request = head;
  while (stream.epoch - request->first_epoch >= request->segments) request = request->next;
  const std::size_t segment = stream.epoch - request->first_epoch;
  const FlatProgram& program = segment + 1 == request->segments ? *request->last : *request->full;
  stream.request = request;
  stream.program = &program;
  stream.op = program.ops.data();
  stream.end = stream.op + program.ops.size();
  stream.slot_origin = copy_offset(stream.epoch);
  stream.bases[static_cast<std::size_t>(Base::In)] = request->in + segment * request->segment_step;
  stream.bases[static_cast<std::size_t>(Base::Out)] =
      request->out + segment * request->segment_step;
  stream.bases[static_cast<std::size_t>(Base::Slot)] = memory + stream.slot_origin;
  stream.bases[static_cast<std::size_t>(Base::Scratch)] =
      scratch.data() + (stream.epoch & (copies - 1)) * layout.flag_offsets.size() * scratch_bytes;
  return true;
}

void Lane::finish(Stream& stream) noexcept {
  Request* const request = stream.request;
  stream.op = nullptr;
  stream.epoch += streams.size();
  if (++request->finished < request->segments) return;
  Request** link = &head;
  while (*link != request) link = &(*link)->next;
  *link = request->next;
}

}  // namespace roce::runtime

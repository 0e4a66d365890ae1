// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/runtime/flat_program.hpp"
#include "src/runtime/lane_layout.hpp"
#include "src/transport/slot.hpp"

namespace roce::runtime {

/// One operation in flight: the user's buffers and how they are cut into segments, each of which is
/// one epoch of its lane. Owned by its plan; linked into the lane while it is in flight.
struct Request {
  const FlatProgram* full = nullptr;  ///< for every segment but the last
  const FlatProgram* last = nullptr;  ///< for the last segment
  std::size_t segments = 1;
  std::size_t segment_step = 0;  ///< bytes from one segment to the next in the user's buffers
  std::byte* in = nullptr;       ///< never written
  std::byte* out = nullptr;
  transport::Flag first_epoch = 0;
  std::size_t finished = 0;
  Request* next = nullptr;

  [[nodiscard]] bool done() const noexcept { return finished == segments; }
};

/// A program that runs: where it is, and the addresses of its epoch.
struct Stream {
  const FlatOp* op = nullptr;  ///< null when idle
  const FlatOp* end = nullptr;
  const FlatProgram* program = nullptr;
  Request* request = nullptr;
  std::byte* bases[base_count] = {};
  std::size_t slot_origin = 0;  ///< offset of this epoch's slots in the slot memory
  transport::Flag epoch = 0;    ///< that runs, or that is next
};

/// The slots of one schedule and the operations that go through them, in order. Epoch e runs on
/// stream e mod W and uses slot copy e mod D, where W = D / (the depth that the schedule is proved
/// for). So each stream is a sequence of epochs with slots of its own, as deep as the proof asks
/// for, and the streams share nothing: W epochs may be in flight, whether of one message or of
/// several.
struct Lane {
  std::string name;  ///< for example "all_reduce/one_shot"
  LaneLayout layout;
  std::size_t origin = 0;  ///< offset of copy 0 in the slot memory
  std::size_t copies = 0;  ///< D, a power of two
  std::vector<Stream> streams;
  std::vector<std::byte> scratch;  ///< scratch_bytes for each slot of each copy
  transport::Flag next_epoch = 0;  ///< the first that no request has
  Request* head = nullptr;         ///< unfinished requests, oldest first

  /// `copies` = D, of which a stream needs `depth`. Epochs begin at `first_epoch`, a multiple of D
  /// that is not 0, the value of untouched flags.
  Lane(std::string lane_name, LaneLayout lane_layout, std::size_t lane_origin, std::size_t copies,
       std::size_t depth, transport::Flag first_epoch);

  /// Gives the request its epochs and queues it.
  void push(Request& request) noexcept;
  /// Points an idle stream at its next epoch if a request has that; false when there is none.
  /// `memory` is the slot memory.
  bool load(Stream& stream, std::byte* memory) noexcept;
  /// Points an idle stream at a segment of a request, whose epoch it is at.
  void bind(Stream& stream, Request& request, std::size_t segment, std::byte* memory) noexcept;
  /// The stream whose turn an epoch is.
  [[nodiscard]] Stream& stream_of(transport::Flag epoch) noexcept {
    return streams[epoch & (streams.size() - 1)];
  }
  /// Counts the stream's segment as finished and unlinks its request when that was the last one.
  void finish(Stream& stream) noexcept;
  /// Where the slots of an epoch begin in the slot memory.
  [[nodiscard]] std::size_t copy_offset(transport::Flag epoch) const noexcept {
    return origin + (epoch & (copies - 1)) * layout.copy_bytes;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return layout.copy_bytes * copies; }
  [[nodiscard]] bool idle() const noexcept { return head == nullptr; }
};

inline void Lane::push(Request& request) noexcept {
  request.first_epoch = next_epoch;
  request.finished = 0;
  request.next = nullptr;
  next_epoch += request.segments;
  Request** link = &head;
  while (*link != nullptr) link = &(*link)->next;
  *link = &request;
}

inline void Lane::bind(Stream& stream, Request& request, std::size_t segment,
                       std::byte* memory) noexcept {
  const FlatProgram& program = segment + 1 == request.segments ? *request.last : *request.full;
  stream.request = &request;
  stream.program = &program;
  stream.op = program.ops.data();
  stream.end = stream.op + program.ops.size();
  stream.slot_origin = copy_offset(stream.epoch);
  stream.bases[static_cast<std::size_t>(Base::In)] = request.in + segment * request.segment_step;
  stream.bases[static_cast<std::size_t>(Base::Out)] = request.out + segment * request.segment_step;
  stream.bases[static_cast<std::size_t>(Base::Slot)] = memory + stream.slot_origin;
  stream.bases[static_cast<std::size_t>(Base::Scratch)] =
      scratch.data() + (stream.epoch & (copies - 1)) * layout.flag_offsets.size() * scratch_bytes;
}

inline bool Lane::load(Stream& stream, std::byte* memory) noexcept {
  // Unsigned differences, so that epochs may wrap.
  if (next_epoch - stream.epoch - 1 >= next_epoch - head->first_epoch) return false;
  Request* request = head;
  while (stream.epoch - request->first_epoch >= request->segments) request = request->next;
  const std::size_t segment = stream.epoch - request->first_epoch;
  bind(stream, *request, segment, memory);
  return true;
}

inline void Lane::finish(Stream& stream) noexcept {
  Request* const request = stream.request;
  stream.op = nullptr;
  stream.epoch += streams.size();
  if (++request->finished < request->segments) return;
  Request** link = &head;
  while (*link != request) link = &(*link)->next;
  *link = request->next;
}

}  // namespace roce::runtime

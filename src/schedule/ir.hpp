// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roce/types.hpp"

namespace roce::schedule {

/// Where an operand lives. In and Out are the user's buffers; Slot is registered memory of the
/// communicator that peers can write.
enum class Buffer : std::uint8_t { In, Out, Slot };

/// A part of the collective's whole vector, in some buffer: chunks [first, first + count) of `of`
/// equal ones. The whole vector is what all ranks' data makes together: `count` elements for
/// all-reduce and broadcast, ranks * count for all-gather and reduce-scatter. In and Out of the
/// last two hold only their rank's block where the other holds the whole, but a slice always names
/// the position in the whole; so in place means that In and Out are one buffer.
///
/// A slot holds what is written to it, packed: its extent on a rank is the hull of all slices that
/// name it there.
struct Slice {
  Buffer buffer = Buffer::In;
  std::uint16_t slot = 0;
  std::uint16_t first = 0;
  std::uint16_t count = 1;
  std::uint16_t of = 1;
  friend bool operator==(const Slice&, const Slice&) = default;
};

enum class OpKind : std::uint8_t {
  Copy,    ///< dst = sources[0]
  Reduce,  ///< dst = fold of sources in the order given, rounded once
  Put,     ///< peer's Slot[dst.slot] = sources[0], then its flag; `dst` repeats the source's part
  Wait,    ///< until the put or signal into my Slot[dst.slot] of this epoch has arrived
  Signal,  ///< a put of no bytes into peer's Slot[dst.slot]
  Flush,   ///< until the sources of my earlier puts to peer may be rewritten
};

/// The destination and the sources of an operation name one and the same part of the whole vector.
/// The part in a Wait's or a Signal's `dst` means nothing, only its slot does.
struct Operation {
  OpKind kind = OpKind::Copy;
  std::int16_t peer = -1;  ///< Put, Signal, Flush
  Slice dst;               ///< Put, Signal and Wait use it as the slot in the receiver's memory
  std::vector<Slice> sources;
};

/// What one rank does, in order.
using Program = std::vector<Operation>;

/// A collective as a straight-line program for each rank; independent of sizes and types.
struct Schedule {
  Collective collective = Collective::AllReduce;
  std::string name;  ///< for example "one_shot"
  int ranks = 1;
  int root = 0;             ///< broadcast only
  std::uint16_t slots = 0;  ///< slots of each rank; the same number everywhere
  std::vector<Program> programs;
};

}  // namespace roce::schedule

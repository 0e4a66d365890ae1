// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "src/reduce/fold.hpp"
#include "src/transport/slot.hpp"

namespace roce::runtime {

/// Most ranks of a communicator: a fold's sources then fit the masks and arrays on the stack.
inline constexpr int max_ranks = 64;

/// What an operand's offset counts from.
///
/// Scratch is private memory where striped payloads are put together.
enum class Base : std::uint8_t { In, Out, Slot, Scratch };
inline constexpr std::size_t base_count = 4;
/// Scratch of each slot; a striped payload fits.
inline constexpr std::size_t scratch_bytes = transport::striped_lines * transport::cache_line;

/// A rank's own buffer or slot, or a slot that is read in the memory of the rank that fills it.
struct Operand {
  std::size_t offset = 0;
  std::int16_t owner = -1;  ///< Slot in another rank's memory; -1 in my own
  Base base = Base::In;
};

enum class OpCode : std::uint8_t {
  Copy,
  Fold,
  Put,
  Publish,  ///< puts of one source to several peers, written once in my own memory
  Wait,
  WaitFrom,  ///< for a flag in the peer's memory
  Unpack,    ///< a striped payload that has arrived, into scratch
  Flush,
};

/// One operation with everything bound but the base addresses and the epoch.
struct FlatOp {
  OpCode code = OpCode::Copy;
  std::uint8_t source_count = 0;   ///< Fold
  std::int16_t peer = -1;          ///< Put and Flush: to whom; Wait: from whom
  std::uint16_t operation = 0;     ///< its number in the schedule's program, for messages
  std::uint16_t slot = 0;          ///< Put and Wait, for messages
  std::uint32_t first_source = 0;  ///< Fold: index into FlatProgram::sources
  std::uint32_t divisor = 1;       ///< Fold
  std::uint64_t premul_mask = 0;   ///< Fold
  std::size_t flag_offset = 0;     ///< Put and Wait: within a copy of the slots
  std::size_t length = 0;          ///< Copy and Put: bytes; Fold: elements
  std::size_t source_offset = 0;   ///< Copy and Put
  std::size_t dst_offset = 0;      ///< Copy and Fold
  std::int16_t source_owner = -1;  ///< as Operand::owner
  Base source_base = Base::In;
  Base dst_base = Base::In;
  std::uint8_t lines = 1;  ///< Wait and WaitFrom: flags that announce the payload
};
static_assert(sizeof(FlatOp) <= 64 && std::is_trivially_copyable_v<FlatOp>);

/// A rank's program, bound to a size, a type and an operator.
struct FlatProgram {
  std::vector<FlatOp> ops;
  std::vector<Operand> sources;
  reduce::FoldFunction fold = nullptr;
  std::uint64_t factor_bits = 0;  ///< for folds with a premul_mask
};

}  // namespace roce::runtime

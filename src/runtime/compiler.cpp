// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/compiler.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "roce/status.hpp"
#include "src/runtime/staging.hpp"
#include "src/transport/slot.hpp"

namespace roce::runtime {
namespace {

using schedule::Buffer;
using schedule::Operation;
using schedule::OpKind;
using schedule::Slice;

/// A run of elements of a segment's whole vector.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
};

class Compiler {
 public:
  Compiler(const schedule::VerifiedSchedule& schedule, const LaneLayout& layout,
           const Binding& binding)
      : verified_(schedule), layout_(layout), binding_(binding), element_(size_of(binding.type)) {
    const Collective collective = schedule.schedule().collective;
    blocked_ = collective == Collective::AllGather || collective == Collective::ReduceScatter;
    blocks_ = blocked_ ? static_cast<std::size_t>(schedule.schedule().ranks) : 1;
    reduces_ = collective == Collective::AllReduce || collective == Collective::ReduceScatter;
    premul_ = reduces_ && binding.op.kind() == ReduceOp::Kind::PremulSum;
    whole_ = binding.elements * blocks_;
    program_.factor_bits = binding.op.factor_bits();
    program_.fold =
        reduce::fold_function(binding.type, reduces_ ? binding.op.kind() : ReduceOp::Kind::Sum);
  }

  FlatProgram run() {
    const auto& programs = verified_.schedule().programs;
    note_payloads(programs);
    const schedule::Program& original = programs[static_cast<std::size_t>(binding_.rank)];
    const bool direct = binding_.reads_source_at_once && !premul_;
    const schedule::Program program =
        direct ? remove_staging(original, static_cast<unsigned>(blocks_)) : original;
    for (std::size_t i = 0; i < program.size(); ++i) add(program[i], i);
    return std::move(program_);
  }

 private:
  /// A slot's payload lies by the size of the put that fills it, so waits must know the sender and
  /// readers the size.
  void note_payloads(const std::vector<schedule::Program>& programs) {
    for (std::size_t sender = 0; sender < programs.size(); ++sender) {
      for (const Operation& op : programs[sender]) {
        if (op.kind != OpKind::Put && op.kind != OpKind::Signal) continue;
        if (op.peer != binding_.rank) continue;
        senders_[op.dst.slot] = static_cast<std::int16_t>(sender);
      }
    }
  }

  void add(const Operation& op, std::size_t number) {
    FlatOp flat;
    flat.operation = static_cast<std::uint16_t>(number);
    switch (op.kind) {
      case OpKind::Copy:
        if (!op.sources.empty()) add_copy(op, flat);
        return;
      case OpKind::Reduce:
        add_fold(op, flat, op.sources);
        return;
      case OpKind::Put:
      case OpKind::Signal:
        add_put(op, flat);
        return;
      case OpKind::Wait:
        flat.code = OpCode::Wait;
        flat.slot = op.dst.slot;
        flat.peer = senders_.at(op.dst.slot);
        flat.flag_offset = layout_.flag_offsets[op.dst.slot];
        program_.ops.push_back(flat);
        return;
      case OpKind::Flush:
        flat.code = OpCode::Flush;
        flat.peer = op.peer;
        program_.ops.push_back(flat);
        return;
    }
  }

  /// A copy of user data may span blocks that lie apart there: one flat copy for each.
  void add_copy(const Operation& op, const FlatOp& header) {
    const bool user = op.dst.buffer != Buffer::Slot || op.sources[0].buffer != Buffer::Slot;
    const Span whole = span(op.dst);
    Span piece = whole;
    for (; piece.begin < whole.end; piece.begin = piece.end) {
      piece.end = whole.end;
      if (user && blocked_) {
        piece.end = std::min(whole.end, (piece.begin / binding_.elements + 1) * binding_.elements);
      }
      add_piece(op, header, piece);
    }
  }

  void add_piece(const Operation& op, FlatOp flat, const Span& piece) {
    const Operand dst = operand(op.dst, piece);
    const Operand source = operand(op.sources[0], piece);
    if (dst.base == source.base && dst.offset == source.offset) return;
    if (premul_ && op.sources[0].buffer == Buffer::In) {
      push_fold(flat, dst, {source}, piece.size(), 1);
      return;
    }
    flat.code = OpCode::Copy;
    flat.length = piece.size() * element_;
    set_ends(flat, dst, source);
    program_.ops.push_back(flat);
  }

  void add_fold(const Operation& op, const FlatOp& header, const std::vector<Slice>& sources) {
    const Span part = span(op.dst);
    if (part.size() == 0) return;
    std::vector<Operand> operands;
    std::uint64_t user_mask = 0;
    for (const Slice& source : sources) {
      if (source.buffer == Buffer::In) user_mask |= std::uint64_t{1} << operands.size();
      operands.push_back(operand(source, part));
    }
    FlatOp flat = header;
    const bool completes =
        verified_.completes(binding_.rank, static_cast<std::size_t>(header.operation));
    if (completes && binding_.op.kind() == ReduceOp::Kind::Avg) {
      flat.divisor = static_cast<std::uint32_t>(verified_.schedule().ranks);
    }
    push_fold(flat, operand(op.dst, part), operands, part.size(), premul_ ? user_mask : 0);
  }

  void push_fold(FlatOp flat, const Operand& dst, const std::vector<Operand>& sources,
                 std::size_t elements, std::uint64_t premul_mask) {
    flat.code = OpCode::Fold;
    flat.source_count = static_cast<std::uint8_t>(sources.size());
    flat.first_source = static_cast<std::uint32_t>(program_.sources.size());
    flat.length = elements;
    flat.premul_mask = premul_mask;
    flat.dst_base = dst.base;
    flat.dst_offset = dst.offset;
    program_.sources.insert(program_.sources.end(), sources.begin(), sources.end());
    program_.ops.push_back(flat);
  }

  void add_put(const Operation& op, FlatOp flat) {
    flat.code = OpCode::Put;
    flat.peer = op.peer;
    flat.slot = op.dst.slot;
    flat.flag_offset = layout_.flag_offsets[op.dst.slot];
    if (op.kind == OpKind::Put) {
      const Span part = span(op.sources[0]);
      flat.length = part.size() * element_;
      if (part.size() != 0) set_ends(flat, {}, operand(op.sources[0], part));
    }
    program_.ops.push_back(flat);
  }

  static void set_ends(FlatOp& flat, const Operand& dst, const Operand& source) {
    flat.dst_base = dst.base;
    flat.dst_offset = dst.offset;
    flat.source_base = source.base;
    flat.source_offset = source.offset;
  }

  [[nodiscard]] Span span(const Slice& slice) const {
    return {position(whole_, slice.first, slice.of),
            position(whole_, std::size_t{slice.first} + slice.count, slice.of)};
  }

  [[nodiscard]] Operand operand(const Slice& slice, const Span& part) const {
    if (slice.buffer == Buffer::Slot) {
      const schedule::SlotExtent& extent = verified_.extent(binding_.rank, slice.slot);
      const Span held = {position(whole_, extent.first, extent.of),
                         position(whole_, std::size_t{extent.first} + extent.count, extent.of)};
      const std::size_t begin =
          transport::payload_offset(layout_.flag_offsets[slice.slot], held.size() * element_);
      return {begin + (part.begin - held.begin) * element_, Base::Slot};
    }
    const Base base = slice.buffer == Buffer::In ? Base::In : Base::Out;
    return {user_offset(slice.buffer, part.begin), base};
  }

  /// Byte offset of an element of the segment's whole vector in the user's buffer, which starts at
  /// this segment.
  [[nodiscard]] std::size_t user_offset(Buffer buffer, std::size_t element) const {
    if (!blocked_) return element * element_;
    const std::size_t block = element / binding_.elements;
    const std::size_t within = element % binding_.elements;
    const bool own_block_only =
        (verified_.schedule().collective == Collective::AllGather) == (buffer == Buffer::In);
    return ((own_block_only ? 0 : block * binding_.block_stride) + within) * element_;
  }

  const schedule::VerifiedSchedule& verified_;
  const LaneLayout& layout_;
  const Binding& binding_;
  std::size_t element_;
  std::size_t blocks_ = 1;
  std::size_t whole_ = 0;
  bool blocked_ = false;
  bool reduces_ = false;
  bool premul_ = false;
  std::map<std::uint16_t, std::int16_t> senders_;
  FlatProgram program_;
};

}  // namespace

FlatProgram compile(const schedule::VerifiedSchedule& schedule, const LaneLayout& layout,
                    const Binding& binding) {
  return Compiler(schedule, layout, binding).run();
}

}  // namespace roce::runtime

// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "roce/status.hpp"
#include "src/runtime/sharing.hpp"
#include "src/runtime/staging.hpp"
#include "src/schedule/print.hpp"
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
    if (binding.shares_slots) sharing_ = SlotSharing(schedule.schedule());
    program_.factor_bits = binding.op.factor_bits();
    program_.fold =
        reduce::fold_function(binding.type, reduces_ ? binding.op.kind() : ReduceOp::Kind::Sum);
  }

  FlatProgram run() {
    const auto& programs = verified_.schedule().programs;
    note_puts(programs);
    const schedule::Program& original = programs[static_cast<std::size_t>(binding_.rank)];
    const bool direct = binding_.reads_source_at_once && !premul_;
    const schedule::Program program =
        direct ? remove_staging(original, static_cast<unsigned>(blocks_)) : original;
    for (std::size_t i = 0; i < program.size(); ++i) add(program[i], i);
    unpack_arrived();
    return std::move(program_);
  }

 private:
  /// Waits must know who sends. Refuses on all ranks alike what puts cannot do.
  void note_puts(const std::vector<schedule::Program>& programs) {
    for (std::size_t sender = 0; sender < programs.size(); ++sender) {
      for (const Operation& op : programs[sender]) {
        if (op.kind == OpKind::Put) require_possible(op);
        if (op.kind != OpKind::Put && op.kind != OpKind::Signal) continue;
        if (op.peer != binding_.rank) continue;
        senders_[op.dst.slot] = static_cast<std::int16_t>(sender);
      }
    }
  }

  void require_possible(const Operation& put) const {
    // A payload lies by its size, and readers find it by the size of what the slot holds in all.
    const schedule::SlotExtent& extent = verified_.extent(put.peer, put.dst.slot);
    const bool fills = unsigned{extent.first} * put.dst.of == unsigned{put.dst.first} * extent.of &&
                       unsigned{extent.count} * put.dst.of == unsigned{put.dst.count} * extent.of;
    if (!fills) refuse(put, "does not fill its slot alone; give each part a slot of its own");
    if (put.sources[0].buffer == Buffer::Slot) return;
    if (!binding_.reads_source_at_once || premul_) {
      refuse(put, "reads the caller's buffer, but here only a staged copy can be sent");
    }
    if (!within_one_block(put.sources[0], static_cast<unsigned>(blocks_))) {
      refuse(put, "reads blocks that lie apart in the caller's buffer");
    }
  }

  [[noreturn]] void refuse(const Operation& op, std::string_view why) const {
    const schedule::Schedule& schedule = verified_.schedule();
    throw Error(ErrorCode::Unsupported,
                fmt::format("{}/{}: '{}' {}", to_string(schedule.collective), schedule.name,
                            to_text(op), why));
  }

  void add(const Operation& op, std::size_t number) {
    if (op.kind != OpKind::Wait) unpack_arrived();
    FlatOp flat;
    flat.operation = static_cast<std::uint16_t>(number);
    switch (op.kind) {
      case OpKind::Copy:
        if (op.sources.empty()) return;
        for_each_piece(op, [&](const Span& piece) { add_copy(op, flat, piece); });
        return;
      case OpKind::Reduce:
        for_each_piece(op, [&](const Span& piece) { add_fold(op, flat, piece); });
        return;
      case OpKind::Put:
      case OpKind::Signal:
        add_put(op, flat);
        return;
      case OpKind::Wait:
        add_wait(op, flat);
        return;
      case OpKind::Flush:
        flat.code = OpCode::Flush;
        flat.peer = op.peer;
        program_.ops.push_back(flat);
        return;
    }
  }

  /// What touches user data may span blocks that lie apart there: visits the part of each.
  template <typename Visit>
  void for_each_piece(const Operation& op, Visit&& visit) const {
    const auto in_user = [](const Slice& slice) { return slice.buffer != Buffer::Slot; };
    const bool user = in_user(op.dst) || std::any_of(op.sources.begin(), op.sources.end(), in_user);
    const Span whole = span(op.dst);
    Span piece = whole;
    for (; piece.begin < whole.end; piece.begin = piece.end) {
      piece.end = whole.end;
      if (user && blocked_) {
        piece.end = std::min(whole.end, (piece.begin / binding_.elements + 1) * binding_.elements);
      }
      visit(piece);
    }
  }

  void add_copy(const Operation& op, FlatOp flat, const Span& piece) {
    const Operand dst = operand(op.dst, piece);
    const Operand source = operand(op.sources[0], piece);
    if (dst.base == source.base && dst.owner == source.owner && dst.offset == source.offset) return;
    if (premul_ && op.sources[0].buffer == Buffer::In) {
      push_fold(flat, dst, {source}, piece.size(), 1);
      return;
    }
    flat.code = OpCode::Copy;
    flat.length = piece.size() * element_;
    set_ends(flat, dst, source);
    program_.ops.push_back(flat);
  }

  void add_fold(const Operation& op, FlatOp flat, const Span& part) {
    std::vector<Operand> operands;
    std::uint64_t user_mask = 0;
    for (const Slice& source : op.sources) {
      if (source.buffer == Buffer::In) user_mask |= std::uint64_t{1} << operands.size();
      operands.push_back(operand(source, part));
    }
    const bool completes =
        verified_.completes(binding_.rank, static_cast<std::size_t>(flat.operation));
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
    const bool shared = sharing_.shared(binding_.rank, op.dst.slot);
    if (shared && !published_.insert(op.dst.slot).second) return;
    flat.code = shared ? OpCode::Publish : OpCode::Put;
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

  void add_wait(const Operation& op, FlatOp flat) {
    const std::uint16_t slot = op.dst.slot;
    flat.slot = slot;
    flat.peer = senders_.at(slot);
    flat.code = sharing_.shared(flat.peer, slot) ? OpCode::WaitFrom : OpCode::Wait;
    flat.flag_offset = layout_.flag_offsets[slot];
    flat.length = payload_bytes(slot);
    flat.lines = static_cast<std::uint8_t>(transport::flagged_lines(flat.length));
    program_.ops.push_back(flat);
    if (flat.lines > 1) arrived_.push_back(flat);
  }

  /// Striped payloads are put together after a run of waits, so that waits stay next to each other.
  void unpack_arrived() {
    for (FlatOp& flat : arrived_) {
      flat.source_owner = flat.code == OpCode::WaitFrom ? flat.peer : std::int16_t{-1};
      flat.code = OpCode::Unpack;
      flat.dst_base = Base::Scratch;
      flat.dst_offset = std::size_t{flat.slot} * scratch_bytes;
      program_.ops.push_back(flat);
    }
    arrived_.clear();
  }

  static void set_ends(FlatOp& flat, const Operand& dst, const Operand& source) {
    flat.dst_base = dst.base;
    flat.dst_offset = dst.offset;
    flat.source_base = source.base;
    flat.source_owner = source.owner;
    flat.source_offset = source.offset;
  }

  [[nodiscard]] Span span(const Slice& slice) const {
    return {position(whole_, slice.first, slice.of),
            position(whole_, std::size_t{slice.first} + slice.count, slice.of)};
  }

  [[nodiscard]] Operand operand(const Slice& slice, const Span& part) const {
    if (slice.buffer == Buffer::Slot) {
      const std::size_t within = (part.begin - held(slice.slot).begin) * element_;
      const std::size_t bytes = payload_bytes(slice.slot);
      if (senders_.contains(slice.slot) && transport::flagged_lines(bytes) > 1) {
        return {slice.slot * scratch_bytes + within, -1, Base::Scratch};
      }
      const std::size_t begin = transport::payload_offset(layout_.flag_offsets[slice.slot], bytes);
      return {begin + within, owner(slice.slot), Base::Slot};
    }
    const Base base = slice.buffer == Buffer::In ? Base::In : Base::Out;
    return {user_offset(slice.buffer, part.begin), -1, base};
  }

  /// The part of the whole vector that a slot holds here.
  [[nodiscard]] Span held(std::uint16_t slot) const {
    const schedule::SlotExtent& extent = verified_.extent(binding_.rank, slot);
    return {position(whole_, extent.first, extent.of),
            position(whole_, std::size_t{extent.first} + extent.count, extent.of)};
  }
  [[nodiscard]] std::size_t payload_bytes(std::uint16_t slot) const {
    return held(slot).size() * element_;
  }

  /// In whose memory I read what arrives in a slot; -1 for my own.
  [[nodiscard]] std::int16_t owner(std::uint16_t slot) const {
    const auto sender = senders_.find(slot);
    if (sender == senders_.end() || !sharing_.shared(sender->second, slot)) return -1;
    return sender->second;
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
  SlotSharing sharing_;
  std::set<std::uint16_t> published_;
  std::vector<FlatOp> arrived_;  ///< waits for striped payloads that are not put together yet
  std::map<std::uint16_t, std::int16_t> senders_;
  FlatProgram program_;
};

}  // namespace

FlatProgram compile(const schedule::VerifiedSchedule& schedule, const LaneLayout& layout,
                    const Binding& binding) {
  return Compiler(schedule, layout, binding).run();
}

}  // namespace roce::runtime

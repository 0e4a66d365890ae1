// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "src/runtime/engine.hpp"
#include "src/runtime/relax.hpp"
#include "src/transport/transport.hpp"

namespace roce::runtime {

/// The CPU executor: one loop over flat operations. It stops at a wait whose flag has not come and
/// is resumed there.
template <transport::Transport T>
class Executor final : public Engine {
 public:
  template <typename... Args>
  explicit Executor(Args&&... args) : transport_(std::forward<Args>(args)...) {
    active_.reserve(8);
    resumed();
  }

  void start(Lane& lane, Request& request, unsigned polls) noexcept override {
    const bool alone = active_.empty();
    if (lane.idle()) active_.push_back(&lane);
    lane.push(request);
    if (alone && request.segments == 1) {
      start_alone(lane, request, polls);
    } else {
      advance(lane, active_.size() == 1 ? polls : 1);
    }
    if (lane.idle()) std::erase(active_, &lane);
  }

  bool progress(unsigned polls) noexcept override {
    transport_.poll();
    bool moved = false;
    for (std::size_t i = 0; i < active_.size();) {
      Lane& lane = *active_[i];
      moved = advance(lane, active_.size() == 1 ? polls : 1) || moved;
      if (lane.idle()) {
        active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    return moved;
  }

  void drop() noexcept override {
    for (Lane* lane : active_) {
      lane->head = nullptr;
      for (Stream& stream : lane->streams) stream.op = nullptr;
    }
    active_.clear();
  }

  [[nodiscard]] bool idle() const noexcept override { return active_.empty(); }

  [[nodiscard]] Blocked blocked() const noexcept override {
    Blocked oldest;
    if (active_.empty()) return oldest;
    const Lane& lane = *active_.front();
    for (const Stream& stream : lane.streams) {
      if (stream.op == nullptr) continue;
      // The difference, because epochs may wrap.
      if (oldest.lane == nullptr || static_cast<std::int64_t>(stream.epoch - oldest.epoch) < 0) {
        oldest = {&lane, stream.op, stream.end, stream.request, stream.epoch};
      }
    }
    return oldest;
  }

  [[nodiscard]] bool unblocked() noexcept override {
    transport_.poll();
    const Blocked oldest = blocked();
    if (oldest.op == nullptr) return true;
    if (oldest.op->code == OpCode::Flush) return transport_.flushed(oldest.op->peer);
    return is_wait(*oldest.op) && arrived(*oldest.op, oldest);
  }

  [[nodiscard]] bool waits_for_neighbour() const noexcept override {
    if constexpr (T::shares_slots) {
      const Blocked oldest = blocked();
      if (oldest.op == nullptr) return false;
      for (const FlatOp* op = oldest.op; op != oldest.end && is_wait(*op); ++op) {
        const bool neighbour = (neighbours_ >> static_cast<unsigned>(op->peer) & 1U) != 0;
        if (neighbour && !arrived(*op, oldest)) return true;
      }
    }
    return false;
  }

  void resumed() noexcept override {
    if constexpr (T::shares_slots) {
      if (!transport_.note_processor() && ++resumptions_ % resumptions_per_look != 0) return;
      neighbours_ = 0;
      for (int peer = 0; peer < transport_.ranks(); ++peer) {
        if (transport_.on_my_processor(peer)) neighbours_ |= std::uint64_t{1} << unsigned(peer);
      }
    }
  }

  void clear(std::size_t begin, std::size_t end) noexcept override { transport_.clear(begin, end); }
  [[nodiscard]] bool reads_source_at_once() const noexcept override {
    return T::reads_source_at_once;
  }
  [[nodiscard]] bool shares_slots() const noexcept override { return T::shares_slots; }
  [[nodiscard]] std::string_view transport_name() const noexcept override {
    return transport_.name();
  }
  [[nodiscard]] std::optional<Failure> failure() noexcept override { return transport_.failure(); }
  [[nodiscard]] transport::Path describe(int peer) const override {
    return transport_.describe(peer);
  }

 private:
  /// What advance() does, for the only request there is, of one segment.
  void start_alone(Lane& lane, Request& request, unsigned polls) noexcept {
    Stream& stream = lane.stream_of(request.first_epoch);
    lane.bind(stream, request, 0, transport_.memory());
    if (run(stream, polls)) lane.finish(stream);
  }

  /// Runs each stream until it blocks. With one stream at work its wait is polled `polls` times.
  bool advance(Lane& lane, unsigned polls) noexcept {
    bool moved = false;
    const bool alone = lane.next_epoch - lane.head->first_epoch == 1 || lane.streams.size() == 1;
    for (Stream& stream : lane.streams) {
      while (!lane.idle()) {
        if (stream.op == nullptr && !lane.load(stream, transport_.memory())) break;
        const FlatOp* const before = stream.op;
        const bool finished = run(stream, alone ? polls : 1);
        moved = moved || finished || stream.op != before;
        if (!finished) break;
        lane.finish(stream);
      }
    }
    return moved;
  }

  /// True when the stream's program has ended.
  bool run(Stream& stream, unsigned polls) noexcept {
    expect_more(stream);
    for (; stream.op != stream.end; ++stream.op) {
      const FlatOp& op = *stream.op;
      switch (op.code) {
        case OpCode::Wait:
        case OpCode::WaitFrom:
          if (!poll(stream, op, polls)) return false;
          break;
        case OpCode::Publish:
          publish(stream, op);
          break;
        case OpCode::Put:
          if (!transport_.put(op.peer, stream.slot_origin + op.flag_offset, source(stream, op),
                              op.length, stream.epoch)) {
            return false;
          }
          break;
        case OpCode::Fold:
          fold(stream, op);
          break;
        case OpCode::Copy:
          copy(address(stream, op.dst_base, op.dst_offset), source(stream, op), op.length);
          break;
        case OpCode::Unpack:
          unpack(stream, op);
          break;
        case OpCode::Flush:
          if (!transport_.flushed(op.peer)) return false;
          break;
      }
    }
    return true;
  }

  /// When several waits stand ahead, asks for all their flags at once instead of one by one.
  void expect_more(const Stream& stream) const noexcept {
    if constexpr (T::shares_slots) {
      if (stream.op == stream.end) return;
      for (const FlatOp* op = stream.op + 1; op != stream.end && op->code == OpCode::WaitFrom;
           ++op) {
        transport_.expect(op->peer, stream.slot_origin + op->flag_offset);
      }
    }
  }

  bool poll(const Stream& stream, const FlatOp& op, unsigned polls) noexcept {
    const std::size_t flag = stream.slot_origin + op.flag_offset;
    for (unsigned i = 0; i < polls; ++i) {
      if (arrived(op, flag, stream.epoch)) return true;
      relax(i);
      transport_.poll();
    }
    return false;
  }

  static bool is_wait(const FlatOp& op) noexcept {
    return op.code == OpCode::Wait || op.code == OpCode::WaitFrom;
  }

  /// Looks at all flags of a striped payload without branches, so that their lines come together.
  bool arrived(const FlatOp& op, std::size_t flag, transport::Flag epoch) const noexcept {
    bool all = line_arrived(op, flag, epoch);
    for (std::size_t line = 1; line < op.lines; ++line) {
      all &= line_arrived(op, flag - line * transport::cache_line, epoch);
    }
    return all;
  }
  bool line_arrived(const FlatOp& op, std::size_t flag, transport::Flag epoch) const noexcept {
    if constexpr (T::shares_slots) {
      if (op.code == OpCode::WaitFrom) return transport_.arrived_from(op.peer, flag, epoch);
    }
    return transport_.arrived(op.peer, flag, epoch);
  }
  bool arrived(const FlatOp& op, const Blocked& blocked) const noexcept {
    return arrived(op, blocked.lane->copy_offset(blocked.epoch) + op.flag_offset, blocked.epoch);
  }

  void publish(const Stream& stream, const FlatOp& op) noexcept {
    if constexpr (T::shares_slots) {
      transport_.publish(stream.slot_origin + op.flag_offset, source(stream, op), op.length,
                         stream.epoch);
    }
  }

  /// In place, In and Out may be one address.
  static void copy(std::byte* dst, const std::byte* source, std::size_t bytes) noexcept {
    if (dst != source) std::memcpy(dst, source, bytes);
  }

  void unpack(const Stream& stream, const FlatOp& op) const noexcept {
    constexpr std::size_t stripe = transport::stripe;
    const std::byte* line =
        address(stream, Operand{op.flag_offset - stripe, op.source_owner, Base::Slot}) -
        (op.lines - 1) * transport::cache_line;
    std::byte* dst = address(stream, op.dst_base, op.dst_offset);
    std::size_t left = op.length;
    for (; left > stripe; left -= stripe) {
      std::memcpy(dst, line, stripe);
      dst += stripe;
      line += transport::cache_line;
    }
    std::memcpy(dst, line, left);
  }

  void fold(const Stream& stream, const FlatOp& op) const noexcept {
    std::array<const void*, max_ranks> sources;  // filled as far as it is used
    const Operand* const operands = stream.program->sources.data() + op.first_source;
    for (std::size_t i = 0; i < op.source_count; ++i) {
      sources[i] = address(stream, operands[i]);
    }
    const reduce::FoldOptions options{op.premul_mask, stream.program->factor_bits, op.divisor};
    stream.program->fold(address(stream, op.dst_base, op.dst_offset), sources.data(),
                         op.source_count, op.length, options);
  }

  static std::byte* address(const Stream& stream, Base base, std::size_t offset) noexcept {
    return stream.bases[static_cast<std::size_t>(base)] + offset;
  }
  std::byte* address(const Stream& stream, const Operand& operand) const noexcept {
    if constexpr (T::shares_slots) {
      if (operand.owner >= 0) {
        return transport_.memory_of(operand.owner) + stream.slot_origin + operand.offset;
      }
    }
    return address(stream, operand.base, operand.offset);
  }

  std::byte* source(const Stream& stream, const FlatOp& op) const noexcept {
    return address(stream, Operand{op.source_offset, op.source_owner, op.source_base});
  }

  /// Threads seldom move, and a look at where each of them is costs a line a rank.
  static constexpr unsigned resumptions_per_look = 32;

  T transport_;
  std::vector<Lane*> active_;
  std::uint64_t neighbours_ = 0;  ///< bit r: rank r was on my processor when last looked at
  unsigned resumptions_ = 0;
};

}  // namespace roce::runtime

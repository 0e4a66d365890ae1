// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/connection.hpp"

#include <arpa/inet.h>

#include <array>
#include <cstring>
#include <utility>

namespace roce::transport::verbs {

/// A work request with room for its pieces and for what travels in it.
struct Connection::Request {
  ibv_send_wr work{};
  std::array<ibv_sge, QueuePair::pieces> pieces{};
  alignas(cache_line) std::array<std::byte, longest_image> carried;  // filled as far as it is used

  Request() noexcept {
    work.sg_list = pieces.data();
    work.opcode = IBV_WR_RDMA_WRITE;
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  void add(const std::byte* data, std::size_t bytes, std::uint32_t key) noexcept {
    pieces[static_cast<std::size_t>(work.num_sge++)] = {reinterpret_cast<std::uint64_t>(data),
                                                        static_cast<std::uint32_t>(bytes), key};
  }
};

Connection::Connection(std::size_t id, Adapter& adapter, LinkText link, std::uint8_t port,
                       GidBytes gid)
    : adapter_(&adapter),
      queue_pair_(adapter.context(), adapter.domain(), adapter.sends(),
                  adapter.completed_receives(), adapter.receives()),
      tag_(std::uint64_t{id} << sequence_bits),
      entry_bytes_(queue_pair_.max_inline() >= longest_image ? sizeof(Flag) : longest_image),
      link_(std::move(link)),
      port_(port),
      gid_(gid) {}

void Connection::connect(const Route& route, const Remote& remote) {
  queue_pair_.connect(route, link_);
  path_mtu_ = static_cast<std::size_t>(route.path_mtu);
  remote_ = remote;
}

void Connection::address(Request& request, std::size_t offset) const noexcept {
  request.work.wr.rdma.remote_addr = remote_.address + offset;
  request.work.wr.rdma.rkey = remote_.key;
}

void Connection::fill_first(Request& request, const PutLayout& layout, const Put& put) noexcept {
  address(request, layout.offset);
  if (layout.source_bytes != 0) {
    request.add(put.source, layout.source_bytes, adapter_->slots_local_key());
    if (layout.image_bytes == 0) return;
    const std::size_t gap = layout.image_bytes - sizeof(Flag);
    std::byte* const word = entry(posted_);
    std::memcpy(word, &put.flag, sizeof put.flag);
    request.add(words_.zeros, gap, adapter_->words_key());
    request.add(word, sizeof(Flag), adapter_->words_key());
    return;
  }
  const bool carry = layout.image_bytes <= queue_pair_.max_inline();
  std::byte* const image = carry ? request.carried.data() : entry(posted_);
  write_image(image, layout, put.source, put.bytes, put.flag);
  request.add(image, layout.image_bytes, carry ? 0 : adapter_->words_key());
  if (carry) request.work.send_flags |= IBV_SEND_INLINE;
}

void Connection::fill_flag(Request& request, const PutLayout& layout, const Put& put,
                           std::byte* ring_entry) const noexcept {
  address(request, layout.flag_offset);
  const bool carry = sizeof(Flag) <= queue_pair_.max_inline();
  std::byte* const word = carry ? request.carried.data() : ring_entry;
  std::memcpy(word, &put.flag, sizeof put.flag);
  request.add(word, sizeof(Flag), carry ? 0 : adapter_->words_key());
  if (carry) request.work.send_flags |= IBV_SEND_INLINE;
}

void Connection::post(const PutLayout& layout, const Put& put) noexcept {
  if (layout.flag_apart) {
    post_apart(layout, put);
    return;
  }
  Request request;
  fill_first(request, layout, put);
  if (put.immediate) announce(request, layout);
  submit(&request.work, request.work, 1, signal_all_);
}

void Connection::post_apart(const PutLayout& layout, const Put& put) noexcept {
  Request flag;
  fill_flag(flag, layout, put, entry(layout.bytes() == 0 ? posted_ : posted_ + 1));
  if (put.immediate) announce(flag, layout);
  if (layout.bytes() == 0) {
    submit(&flag.work, flag.work, 1, signal_all_);
    return;
  }
  Request first;
  fill_first(first, layout, put);
  first.work.next = &flag.work;
  submit(&first.work, flag.work, 2, signal_all_);
}

void Connection::announce(Request& last, const PutLayout& layout) noexcept {
  const Immediate announced{layout.flag_offset / cache_line, layout.lines};
  last.work.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
  last.work.imm_data = htonl(announced.encode());
}

void Connection::submit(ibv_send_wr* first, ibv_send_wr& last, std::uint64_t count,
                        bool signal) noexcept {
  posted_ += count;
  if (signal || posted_ - signalled_ >= signal_every) {
    last.send_flags |= IBV_SEND_SIGNALED;
    signalled_ = posted_;
  }
  first->wr_id = tag_ | ((posted_ - count + 1) & sequence_mask);
  last.wr_id = tag_ | (posted_ & sequence_mask);
  ibv_send_wr* refused = nullptr;
  const int error = ibv_post_send(queue_pair_.get(), first, &refused);
  if (error != 0 && !broken()) post_error_ = error;
}

bool Connection::flushed() noexcept {
  if (retired_ == posted_) return true;
  if (signalled_ == posted_ || broken()) return false;
  signal_all_ = true;
  Request probe;  // of no bytes; requests complete in order
  address(probe, 0);
  submit(&probe.work, probe.work, 1, true);
  return false;
}

void Connection::complete(const ibv_wc& completion) noexcept {
  const std::uint64_t ahead = (completion.wr_id - retired_) & sequence_mask;
  if (completion.status == IBV_WC_SUCCESS) {
    retired_ += ahead;
    return;
  }
  if (broken()) return;
  status_ = completion.status;
  vendor_error_ = completion.vendor_err;
}

std::string Connection::why_broken() const {
  return post_error_ != 0 ? explain_post(link_, post_error_)
                          : explain_completion(link_, status_, vendor_error_);
}

std::uint32_t Immediate::encode() const noexcept {
  return static_cast<std::uint32_t>(last_line * striped_lines + lines - 1);
}

Immediate Immediate::decode(std::uint32_t value) noexcept {
  return {value / striped_lines, value % striped_lines + 1};
}

}  // namespace roce::transport::verbs

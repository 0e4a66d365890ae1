// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "src/transport/verbs/adapter.hpp"
#include "src/transport/verbs/explain.hpp"
#include "src/transport/verbs/put_layout.hpp"
#include "src/transport/verbs/queue_pair.hpp"

namespace roce::transport::verbs {

/// One end of a queue pair to one peer over one rail: posts puts and keeps account of what is under
/// way. The send queue and its completion queue never overflow, because what was posted and not yet
/// seen to be complete is counted, requests in between that report nothing included.
class Connection {
 public:
  struct Remote {
    std::uint64_t address = 0;  ///< of the peer's slot memory
    std::uint32_t key = 0;
  };
  /// Memory that the adapter has registered, for what can't travel in a request itself.
  struct Words {
    const std::byte* zeros = nullptr;  ///< longest_gap of them
    std::byte* ring = nullptr;         ///< ring_bytes(max_inline)
  };

  /// `id` is below max_connections and comes back with completions.
  Connection(std::size_t id, Adapter& adapter, LinkText link, std::uint8_t port, GidBytes gid);

  void connect(const Route& route, const Remote& remote);
  void use(const Words& words) noexcept { words_ = words; }
  /// Bytes of the ring, which takes what a request of this queue pair can't carry.
  [[nodiscard]] std::size_t ring_bytes() const noexcept { return QueuePair::depth * entry_bytes_; }

  /// Room for a put and for what flushed() may post.
  [[nodiscard]] bool has_room() const noexcept {
    return posted_ - retired_ + most_requests < QueuePair::depth;
  }
  /// Posts a put that has room. With `immediate` the last request carries it.
  struct Put {
    const std::byte* source;
    std::size_t bytes;
    Flag flag;
    bool immediate;
  };
  void post(const PutLayout& layout, const Put& put) noexcept;

  /// True once everything posted is complete. Asks the device to say so where nothing that is under
  /// way will.
  [[nodiscard]] bool flushed() noexcept;
  /// Takes one of this connection's completions.
  void complete(const ibv_wc& completion) noexcept;

  /// The first thing that went wrong; nothing is posted afterwards.
  [[nodiscard]] bool broken() const noexcept {
    return post_error_ != 0 || status_ != IBV_WC_SUCCESS;
  }
  [[nodiscard]] std::string why_broken() const;

  [[nodiscard]] const LinkText& link() const noexcept { return link_; }
  [[nodiscard]] Adapter& adapter() const noexcept { return *adapter_; }
  [[nodiscard]] QueuePair& queue_pair() noexcept { return queue_pair_; }
  [[nodiscard]] const QueuePair& queue_pair() const noexcept { return queue_pair_; }
  [[nodiscard]] std::uint8_t port() const noexcept { return port_; }
  [[nodiscard]] const GidBytes& gid() const noexcept { return gid_; }
  [[nodiscard]] std::size_t path_mtu() const noexcept { return path_mtu_; }

  /// A completion's connection.
  [[nodiscard]] static std::size_t id_of(const ibv_wc& completion) noexcept {
    return completion.wr_id >> sequence_bits;
  }
  static constexpr std::size_t max_connections = std::size_t{1} << 16U;

 private:
  static constexpr unsigned sequence_bits = 48;
  static constexpr std::uint64_t sequence_mask = (std::uint64_t{1} << sequence_bits) - 1;
  static constexpr std::size_t most_requests = 2;
  /// As many unsignalled requests in a row, so that a full queue has several signalled ones.
  static constexpr std::uint64_t signal_every = QueuePair::depth / 4;

  struct Request;
  void post_apart(const PutLayout& layout, const Put& put) noexcept;
  static void announce(Request& last, const PutLayout& layout) noexcept;
  void fill_first(Request& request, const PutLayout& layout, const Put& put) noexcept;
  void fill_flag(Request& request, const PutLayout& layout, const Put& put,
                 std::byte* ring_entry) const noexcept;
  void address(Request& request, std::size_t offset) const noexcept;
  void submit(ibv_send_wr* first, ibv_send_wr& last, std::uint64_t count, bool signal) noexcept;
  [[nodiscard]] std::byte* entry(std::uint64_t sequence) const noexcept {
    return words_.ring + sequence % QueuePair::depth * entry_bytes_;
  }

  Adapter* adapter_;
  QueuePair queue_pair_;
  std::uint64_t tag_;  ///< the id, where wr_id has it
  std::size_t entry_bytes_;
  std::size_t path_mtu_ = 0;
  Remote remote_;
  Words words_;
  std::uint64_t posted_ = 0;     ///< requests since the start
  std::uint64_t retired_ = 0;    ///< of these, known to be complete
  std::uint64_t signalled_ = 0;  ///< of these, up to the last that reports
  bool signal_all_ = false;      ///< somebody waits for flushed()
  int post_error_ = 0;
  ibv_wc_status status_ = IBV_WC_SUCCESS;
  unsigned vendor_error_ = 0;
  LinkText link_;
  std::uint8_t port_;
  GidBytes gid_;
};

/// What a write's immediate says: which cache lines of the slot memory have flags that announce it.
struct Immediate {
  std::size_t last_line = 0;
  std::size_t lines = 1;
  [[nodiscard]] std::uint32_t encode() const noexcept;
  [[nodiscard]] static Immediate decode(std::uint32_t value) noexcept;
};

}  // namespace roce::transport::verbs

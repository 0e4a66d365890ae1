// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "tests/verbs/probe/session.hpp"

namespace roce::probe {
namespace {

/// Signals into many slots without a look at anything: the send queue must say that it is full,
/// nothing may be lost, and flushed() must come true.
void fill_queue(Session& session, FlagMode mode, std::uint64_t epoch) {
  auto& transport = session.transport();
  const int peer = session.neighbours().front();
  std::size_t refused = 0;
  for (std::size_t slot = 0; slot < Session::signal_slots; ++slot) {
    const auto put = [&] {
      return transport.put(peer, session.signal_offset(slot), nullptr, 0, epoch);
    };
    if (put()) continue;
    ++refused;
    session.wait("room after a full queue", put);
  }
  if (refused == 0) {
    throw Wrong(fmt::format("mode {}: {} puts at once were never refused", to_string(mode),
                            Session::signal_slots));
  }
  session.wait("flushed", [&] { return transport.flushed(peer); });
  if (!transport.flushed(peer)) throw Wrong("flushed went back to false without a put");
}

/// A source may be rewritten as soon as flushed() says so.
void rewrite_after_flush(Session& session, std::uint64_t first_epoch, std::size_t bytes) {
  auto& transport = session.transport();
  for (std::uint64_t epoch = first_epoch; epoch < first_epoch + 20; ++epoch) {
    std::byte* const source = session.staging(0);
    for (const int peer : session.neighbours()) {
      for (std::size_t i = 0; i < bytes; ++i) source[i] = pattern(session.rank(), epoch, i);
      session.put(peer, session.flag_offset(session.rank(), epoch), source, bytes, epoch);
      session.wait("flushed", [&] { return transport.flushed(peer); });
      std::fill_n(source, bytes, std::byte{0xee});
    }
    for (const int peer : session.neighbours()) {
      const std::size_t flag = session.flag_offset(peer, epoch);
      session.await(peer, flag, bytes, epoch);
      const std::byte* const payload = transport.memory() + transport::payload_offset(flag, bytes);
      for (std::size_t i = 0; i < bytes; ++i) {
        if (payload[i] != pattern(peer, epoch, i)) throw Wrong("a source was read after flushed()");
      }
    }
  }
}

}  // namespace

void check_queue(Session& session) {
  for (const FlagMode mode : {FlagMode::Trailer, FlagMode::Flag, FlagMode::Imm}) {
    auto& transport = session.connect(mode);
    constexpr std::uint64_t rounds = 3;
    for (std::uint64_t epoch = 1; epoch <= rounds; ++epoch) {
      fill_queue(session, mode, epoch);
      // Whoever has me as first neighbour fills my slots; the lowest such rank is enough to know
      // about where several do, as they write the same.
      const auto firsts = session.bootstrap().all_gather(
          std::as_bytes(std::span(&session.neighbours().front(), 1)));
      for (int from = 0; from < session.size(); ++from) {
        int first = -1;
        std::memcpy(&first, firsts[static_cast<std::size_t>(from)].data(), sizeof first);
        if (first != session.rank()) continue;
        for (std::size_t slot = 0; slot < Session::signal_slots; ++slot) {
          session.await(from, session.signal_offset(slot), 0, epoch);
        }
      }
      session.barrier();
    }
    rewrite_after_flush(session, 1, 5000);
    session.barrier();
    if (transport.failure()) throw Wrong("failure() without a failure");
    if (session.rank() == 0) fmt::print("mode {}: full queue and flush right\n", to_string(mode));
  }
}

}  // namespace roce::probe

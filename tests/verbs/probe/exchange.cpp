// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "tests/verbs/probe/session.hpp"

namespace roce::probe {
namespace {

using transport::cache_line;
using transport::stripe;

/// Around every border: of lines, of what fits 1,024 and 4,096 bytes with its flag, of halves.
constexpr std::size_t sizes[] = {
    0,    1,    7,    8,    55,   56,   57,   111,  112,   113,   168,   169,   223,   224,
    225,  255,  256,  257,  511,  512,  513,  767,  768,   769,   1023,  1024,  1025,  2049,
    3839, 3840, 3841, 4095, 4096, 4097, 8192, 9001, 12287, 16384, 16385, 20001, 33333, 40'000};

void fill(std::byte* data, int sender, std::uint64_t epoch, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) data[i] = pattern(sender, epoch, i);
}

/// The payload as a receiver's program finds it.
std::byte received(const std::byte* memory, std::size_t flag_offset, std::size_t bytes,
                   std::size_t position) {
  if (bytes <= stripe || bytes > transport::striped_limit) {
    return memory[transport::payload_offset(flag_offset, bytes) + position];
  }
  const std::size_t first =
      flag_offset + sizeof(transport::Flag) - transport::flagged_lines(bytes) * cache_line;
  return memory[first + position / stripe * cache_line + position % stripe];
}

void check_payload(Session& session, int from, std::uint64_t epoch, std::size_t bytes) {
  const std::size_t flag = session.flag_offset(from, epoch);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (received(session.transport().memory(), flag, bytes, i) == pattern(from, epoch, i)) continue;
    throw Wrong(fmt::format("{} bytes from rank {} in mode {}, epoch {}: byte {} is wrong", bytes,
                            from, to_string(session.transport().flag_mode()), epoch, i));
  }
}

/// Everybody sends to all neighbours, then looks at what they sent.
void round(Session& session, std::uint64_t epoch, std::size_t bytes) {
  fill(session.staging(epoch), session.rank(), epoch, bytes);
  for (const int peer : session.neighbours()) {
    session.put(peer, session.flag_offset(session.rank(), epoch), session.staging(epoch), bytes,
                epoch);
  }
  for (const int peer : session.neighbours()) {
    session.await(peer, session.flag_offset(peer, epoch), bytes, epoch);
    check_payload(session, peer, epoch, bytes);
  }
}

std::uint64_t run_sizes(Session& session, FlagMode mode) {
  session.connect(mode);
  // Epochs pass 2^32 on the way.
  std::uint64_t epoch = (std::uint64_t{1} << 32U) - 60;
  for (const std::size_t bytes : sizes) {
    for (int repeat = 0; repeat < 4; ++repeat) round(session, ++epoch, bytes);
  }
  // Sizes follow each other in one slot, so stale flags and payloads stand everywhere.
  for (std::size_t i = 0; i < 3 * std::size(sizes); ++i) {
    round(session, ++epoch, sizes[i * 17 % std::size(sizes)]);
  }
  session.barrier();
  return epoch;
}

}  // namespace

void check_exchange(Session& session) {
  for (const FlagMode mode : {FlagMode::Auto, FlagMode::Trailer, FlagMode::Flag, FlagMode::Imm}) {
    run_sizes(session, mode);
    if (session.rank() == 0) {
      fmt::print("mode {} ({}): {} sizes right, {} rail(s), {} extra pinned bytes\n",
                 to_string(mode), to_string(session.transport().flag_mode()), std::size(sizes),
                 session.rails_to(session.neighbours().front()),
                 session.transport().extra_pinned_bytes());
      std::fflush(stdout);
    }
  }
}

void soak(Session& session, std::chrono::seconds duration, const std::string& expected) {
  session.connect(session.config().flag_mode);
  const auto end = std::chrono::steady_clock::now() + duration;
  std::uint64_t epoch = 0;
  fmt::print("soaking\n");
  std::fflush(stdout);
  try {
    // All ranks stop at the same epoch: rank 0 says so in its payload's length.
    for (bool more = true; more;) {
      more = std::chrono::steady_clock::now() < end;
      const auto votes = session.bootstrap().all_gather(
          std::as_bytes(std::span(reinterpret_cast<const char*>(&more), 1)));
      for (const auto& vote : votes) more = more && vote.front() != std::byte{0};
      for (int i = 0; i < 50; ++i) {
        ++epoch;
        round(session, epoch, sizes[epoch % std::size(sizes)]);
      }
    }
  } catch (const Broken& broken) {
    session.bootstrap().announce(broken.failure());
    if (!expected.empty() && broken.failure().message.find(expected) != std::string::npos) {
      fmt::print("rank {} failed as expected: {}\n", session.rank(), broken.what());
      return;
    }
    throw;
  } catch (const Error& error) {
    // A peer saw it first and said so.
    if (expected.empty() || std::string(error.what()).find(expected) == std::string::npos) throw;
    fmt::print("rank {} heard as expected: {}\n", session.rank(), error.what());
    return;
  }
  if (!expected.empty()) throw Wrong(fmt::format("nothing failed with '{}'", expected));
  fmt::print("rank {}: {} rounds right; {}\n", session.rank(), epoch,
             session.transport().describe(session.neighbours().front()).notes);
}

}  // namespace roce::probe

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "roce/status.hpp"
#include "src/transport/slot.hpp"

namespace roce::transport {

/// How a peer is reached, for messages.
struct Path {
  std::string local;   ///< my device, for example "shm" or "mlx5_0:1"
  std::string remote;  ///< the peer's
  std::string notes;   ///< what its counters did since the start, where there are any
};

/// What the executor needs of a transport. All ranks lay out their slot memory alike, so an offset
/// names the same slot on every rank.
///
/// * `put` writes `bytes` from `source` into the peer's slot whose flag is at `flag_offset`, then
///   the flag; the flag is never visible before the payload. 0 bytes are a signal. False: no room
///   now, try again after progress.
/// * `arrived` is true once a flag in my own slot, which `from` fills, announces `epoch`; once all
///   flags of the payload's lines do, the payload may be read.
/// * `flushed` is true once the sources of all earlier puts to the peer may be rewritten.
/// * `poll` takes what has completed; called between two looks at a flag.
/// * `failure` is what broke since the last call, if anything did: then nothing may be counted on.
/// * `clear` zeroes a part of my slot memory, flags included, while nothing is in flight there.
/// * `describe` may allocate and make system calls.
/// * `reads_source_at_once`: put has read its source when it returns, from any memory. Otherwise
///   the source must lie in slot memory and stay until the schedule's proof says so.
///
/// * `shares_slots`: ranks read each other's slot memory. Then `publish` writes a slot of my own
///   memory for all to read, `arrived_from` looks at a flag there, and `memory_of` is where a
///   peer's slot memory is mapped; `expect` asks for a flag that will soon be looked at. Such a
///   transport also knows on which processor each rank runs:
///   `note_processor` tells the peers mine and whether it is another one now, `on_my_processor`
///   compares a peer's with it.
///
/// None of these blocks, allocates or throws. One thread at a time.
template <typename T>
concept Transport = requires(T transport, int peer, std::size_t offset, const std::byte* source,
                             std::size_t bytes, Flag epoch) {
  { T::reads_source_at_once } -> std::convertible_to<bool>;
  { transport.put(peer, offset, source, bytes, epoch) } noexcept -> std::same_as<bool>;
  { transport.arrived(peer, offset, epoch) } noexcept -> std::same_as<bool>;
  { transport.flushed(peer) } noexcept -> std::same_as<bool>;
  { transport.poll() } noexcept;
  { transport.failure() } noexcept -> std::same_as<std::optional<Failure>>;
  { transport.describe(peer) } -> std::same_as<Path>;
  { transport.clear(offset, offset) } noexcept;
  { transport.memory() } noexcept -> std::same_as<std::byte*>;
  { transport.name() } noexcept -> std::same_as<std::string_view>;
  { T::shares_slots } -> std::convertible_to<bool>;
};

/// A transport with shares_slots has these too.
template <typename T>
concept SharingTransport = Transport<T> && T::shares_slots &&
                           requires(T transport, int peer, std::size_t offset,
                                    const std::byte* source, std::size_t bytes, Flag epoch) {
                             { transport.publish(offset, source, bytes, epoch) } noexcept;
                             {
                               transport.arrived_from(peer, offset, epoch)
                             } noexcept -> std::same_as<bool>;
                             { transport.memory_of(peer) } noexcept -> std::same_as<std::byte*>;
                             { transport.expect(peer, offset) } noexcept;
                             { transport.note_processor() } noexcept -> std::same_as<bool>;
                             { transport.ranks() } noexcept -> std::same_as<int>;
                             { transport.on_my_processor(peer) } noexcept -> std::same_as<bool>;
                           };

}  // namespace roce::transport

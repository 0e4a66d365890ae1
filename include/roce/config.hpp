// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roce/export.hpp"
#include "roce/types.hpp"

namespace roce {

/// Where a setting's value comes from.
enum class ConfigSource : std::uint8_t { Default, File, Environment, Code };
[[nodiscard]] ROCE_API std::string_view to_string(ConfigSource source) noexcept;

/// Which transport carries the data between ranks.
enum class TransportKind : std::uint8_t {
  Auto,
  Shm,    ///< memory that ranks on one host share
  Verbs,  ///< RDMA between hosts, shared memory within each
  Ucx,    ///< UCX between hosts, for example over TCP; shared memory within each
  /// Shared memory that delivers late and out of order, by ROCE_CHAOS_SEED; for tests.
  ShmChaos,
};
[[nodiscard]] ROCE_API std::string_view to_string(TransportKind kind) noexcept;

/// How the arrival flag of a write over verbs travels.
enum class FlagMode : std::uint8_t {
  /// Trailer where every device promises to place a write's data in order, else Imm.
  Auto,
  /// With the payload in one write, where that fits one path MTU.
  Trailer,
  /// In a write of its own, right after the payload's.
  Flag,
  /// A write with immediate data, whose completion the receiver polls.
  Imm,
};
[[nodiscard]] ROCE_API std::string_view to_string(FlagMode mode) noexcept;

/// All settings. Each member is one variable, documented in the table that describe() returns (and
/// `rocectl config` prints). Read once, when a communicator is made; later changes of the
/// environment have no effect on it.
///
/// Durations are written "30s", "500ms" or "20us" (also min and h), sizes "64K" or "8M" (powers of
/// 1,024). A duration without a unit counts milliseconds, those of ROCE_SPIN and ROCE_ACK_TIMEOUT
/// microseconds.
struct Config {
  std::chrono::milliseconds timeout{60'000};  ///< ROCE_TIMEOUT: bound on each wait in flight
  std::chrono::milliseconds connect_timeout{60'000};  ///< ROCE_CONNECT_TIMEOUT: bound on rendezvous
  std::size_t slot_memory = std::size_t{8} << 20;  ///< ROCE_SLOT_MEMORY: bytes, all ranks together
  std::size_t segment = 0;                         ///< ROCE_SEGMENT: bytes, 0 chooses
  TransportKind transport = TransportKind::Auto;   ///< ROCE_TRANSPORT
  Numerics numerics = Numerics::Agreed;            ///< ROCE_NUMERICS: the weakest accepted
  std::string schedule;                            ///< ROCE_SCHEDULE: a name, empty chooses
  std::chrono::microseconds spin{-1};              ///< ROCE_SPIN: before yielding; -1 chooses
  std::string host_id;                             ///< ROCE_HOSTID: empty is the kernel's boot id
  std::uint64_t chaos_seed = 0;                    ///< ROCE_CHAOS_SEED
  std::string hca;                        ///< ROCE_HCA: devices that may be used; empty is all
  int gid_index = -1;                     ///< ROCE_GID_INDEX: -1 finds it for each connection
  FlagMode flag_mode = FlagMode::Auto;    ///< ROCE_FLAG_MODE
  std::size_t stripe_above = 16U << 10U;  ///< ROCE_STRIPE_ABOVE: larger puts use two rails
  int traffic_class = 0;                  ///< ROCE_TRAFFIC_CLASS: of the IP header
  std::chrono::microseconds ack_timeout{134'000};  ///< ROCE_ACK_TIMEOUT: until a resend
  int retry_count = 6;                             ///< ROCE_RETRY_COUNT: resends before giving up
  std::string debug;                               ///< ROCE_DEBUG: some of init,plan

  /// Defaults, then the file named by ROCE_CONFIG (lines KEY=VALUE, # begins a comment line), then
  /// the environment. An empty variable is unset. Throws Error (InvalidArgument) naming the
  /// variable, the value, what is valid and, for an unknown ROCE_ variable, the nearest known one.
  [[nodiscard]] ROCE_API static Config from_environment();

  /// Sets one setting by its variable's name, as from code; an empty value is the default again.
  /// Throws like from_environment.
  ROCE_API void set(std::string_view variable, std::string_view value);

  /// One row for each setting, in a stable order.
  struct Row {
    std::string variable;
    std::string value;          ///< as it would be typed
    std::string default_value;  ///< as it would be typed
    ConfigSource source = ConfigSource::Default;
    std::string description;  ///< with what is valid
  };
  [[nodiscard]] ROCE_API std::vector<Row> describe() const;

  /// The source of each setting that is not a default, by variable name.
  std::vector<std::pair<std::string, ConfigSource>> sources;
};

}  // namespace roce

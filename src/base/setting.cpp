// SPDX-License-Identifier: Apache-2.0
#include "src/base/setting.hpp"

#include <utility>
#include <vector>

#include "src/base/setting_types.hpp"

namespace roce {
namespace {

using base::Name;
using base::Setting;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
constexpr std::size_t gib = 1024 * mib;

constexpr base::EnumType<TransportKind, 5> transport_type{{
    Name<TransportKind>{"auto", TransportKind::Auto},
    Name<TransportKind>{"shm", TransportKind::Shm},
    Name<TransportKind>{"verbs", TransportKind::Verbs},
    Name<TransportKind>{"ucx", TransportKind::Ucx},
    Name<TransportKind>{"shm_chaos", TransportKind::ShmChaos},
}};

constexpr base::EnumType<FlagMode, 4> flag_mode_type{{
    Name<FlagMode>{"auto", FlagMode::Auto},
    Name<FlagMode>{"trailer", FlagMode::Trailer},
    Name<FlagMode>{"flag", FlagMode::Flag},
    Name<FlagMode>{"imm", FlagMode::Imm},
}};

Name<Numerics> name(Numerics numerics) { return {to_string(numerics), numerics}; }

constexpr base::DurationType<milliseconds> timeout_type{.least = milliseconds{1},
                                                        .most = std::chrono::hours{24}};

template <typename Member, typename Type>
Setting setting(std::string_view variable, Member Config::* member, const Type& type,
                std::string_view description) {
  return {.variable = variable,
          .description = description,
          .valid = type.valid(),
          .parse =
              [member, type](Config& config, std::string_view text) {
                const auto value = type.parse(text);
                if (value) config.*member = *value;
                return value.has_value();
              },
          .print = [member, type](const Config& config) { return type.print(config.*member); },
          .reset = [member](Config& config) { config.*member = Config{}.*member; }};
}

/// Of the verbs transport.
std::vector<Setting> verbs_settings() {
  return {
      setting("ROCE_HCA", &Config::hca, base::TextType{},
              "RDMA devices that may be used: names or how they begin, with an optional :port, "
              "separated by commas; a leading = asks for exact names, a leading ^ excludes"),
      setting("ROCE_GID_INDEX", &Config::gid_index,
              base::NumberType{.least = 0, .most = 255, .automatic = -1},
              "index of the GID to use on every port; auto finds it for each connection"),
      setting("ROCE_FLAG_MODE", &Config::flag_mode, flag_mode_type,
              "how data over verbs is announced: trailer in one write with it, flag in a second "
              "write, imm by a completion; auto is trailer where every device promises to place "
              "data in order, else imm"),
      setting("ROCE_STRIPE_ABOVE", &Config::stripe_above, base::SizeType{.least = 256, .most = gib},
              "larger payloads go in halves over two rails, where there are two"),
      setting("ROCE_TRAFFIC_CLASS", &Config::traffic_class,
              base::NumberType{.least = 0, .most = 255},
              "traffic class of RoCE packets (DSCP * 4 + ECN)"),
      setting("ROCE_ACK_TIMEOUT", &Config::ack_timeout,
              base::DurationType<microseconds>{.least = microseconds{5},
                                               .most = std::chrono::seconds{60}},
              "silence after which a device sends again; rounded up to 4.096us times a power of 2"),
      setting("ROCE_RETRY_COUNT", &Config::retry_count, base::NumberType{.least = 0, .most = 6},
              "how often a device sends again before the connection fails (7 would be for ever on "
              "some devices)"),
  };
}

std::vector<Setting> make_settings() {
  std::vector<Setting> all{
      setting("ROCE_TIMEOUT", &Config::timeout, timeout_type,
              "longest wait for a peer within a collective; then every rank gets an error"),
      setting("ROCE_CONNECT_TIMEOUT", &Config::connect_timeout, timeout_type,
              "longest wait for the ranks to meet, and for each exchange while they set up"),
      setting(
          "ROCE_SLOT_MEMORY", &Config::slot_memory,
          base::SizeType{.least = 64 * kib, .most = 64 * gib},
          "receive slots of a communicator, all ranks together; larger messages go in segments"),
      setting("ROCE_SEGMENT", &Config::segment,
              base::SizeType{.least = 64, .most = gib, .zero_is_auto = true},
              "bytes of a message that go through a schedule at a time"),
      setting(
          "ROCE_TRANSPORT", &Config::transport, transport_type,
          "what carries the data: auto is shared memory on one host, else verbs, or ucx where a "
          "rank has no RDMA port, which is then said; both with shared memory within each host; "
          "shm_chaos delivers late and out of order, for tests"),
      setting("ROCE_NUMERICS", &Config::numerics,
              base::EnumType<Numerics, 2>{{name(Numerics::RankOrdered), name(Numerics::Agreed)}},
              "weakest order of summing accepted; rank_ordered gives the same bits whatever the "
              "fabric and the size"),
      setting("ROCE_SCHEDULE", &Config::schedule, base::TextType{},
              "schedule to use, a name from `rocectl schedule list`; unset chooses by size"),
      setting("ROCE_SPIN", &Config::spin,
              base::DurationType<microseconds>{.least = microseconds{0},
                                               .most = std::chrono::seconds{60},
                                               .automatic = microseconds{-1}},
              "busy waiting before a waiting rank yields its core; auto is short when there are "
              "more ranks than cores"),
      setting("ROCE_HOSTID", &Config::host_id, base::TextType{},
              "ranks with the same text share memory; unset is the kernel's boot id"),
      setting("ROCE_CHAOS_SEED", &Config::chaos_seed, base::IntegerType{},
              "seed of shm_chaos's delays"),
      setting("ROCE_DEBUG", &Config::debug, base::WordsType{{"init", "plan"}},
              "what to report on stderr: each communicator that is made, each plan"),
  };
  for (Setting& row : verbs_settings()) all.push_back(std::move(row));
  return all;
}

}  // namespace

std::string_view to_string(TransportKind kind) noexcept {
  return base::name_of(transport_type.names, kind);
}

std::string_view to_string(FlagMode mode) noexcept {
  return base::name_of(flag_mode_type.names, mode);
}

std::span<const base::Setting> base::settings() {
  static const std::vector<Setting> table = make_settings();
  return table;
}

}  // namespace roce

// SPDX-License-Identifier: Apache-2.0
#include "src/base/setting.hpp"

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

constexpr base::EnumType<TransportKind, 4> transport_type{{
    Name<TransportKind>{"auto", TransportKind::Auto},
    Name<TransportKind>{"shm", TransportKind::Shm},
    Name<TransportKind>{"verbs", TransportKind::Verbs},
    Name<TransportKind>{"shm_chaos", TransportKind::ShmChaos},
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

std::vector<Setting> make_settings() {
  return {
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
      setting("ROCE_TRANSPORT", &Config::transport, transport_type,
              "what carries the data: auto is shared memory on one host, else verbs, with shared "
              "memory "
              "within each host; shm_chaos delivers late and out of order, for tests"),
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
}

}  // namespace

std::string_view to_string(TransportKind kind) noexcept {
  return base::name_of(transport_type.names, kind);
}

std::span<const base::Setting> base::settings() {
  static const std::vector<Setting> table = make_settings();
  return table;
}

}  // namespace roce

// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/selection.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <vector>

#include "roce/status.hpp"

namespace roce::schedule {
namespace {

constexpr std::size_t any_size = std::numeric_limits<std::size_t>::max();

/// Candidates for sizes below `below`, best first. Later ones serve fabrics or numerics that the
/// earlier ones do not fit.
struct Range {
  Collective collective;
  std::size_t below;
  std::vector<std::string_view> candidates;
};

/// Where the measured lines of one-shot and two-shot all-reduce cross on one host; see
/// docs/performance.md.
std::size_t two_shot_from(int ranks) { return ranks <= 2 ? 4096 : 8192; }

std::vector<Range> ranges(int ranks) {
  return {
      {Collective::AllReduce, two_shot_from(ranks), {"one_shot", "bidirectional_relay"}},
      {Collective::AllReduce,
       any_size,
       {"two_shot", "bidirectional_ring", "bidirectional_relay", "one_shot"}},
      {Collective::AllGather, any_size, {"one_shot", "bidirectional_ring", "bidirectional_relay"}},
      {Collective::ReduceScatter,
       any_size,
       {"direct", "bidirectional_ring", "bidirectional_relay"}},
      {Collective::Broadcast, any_size, {"flat", "chain"}},
      {Collective::Barrier, any_size, {"dissemination", "bidirectional_relay"}},
  };
}

bool strong_enough(const VerifiedSchedule& schedule, Numerics weakest) {
  return weakest == Numerics::Agreed || schedule.facts().numerics == Numerics::RankOrdered;
}

/// "all_reduce/one_shot" and "one_shot" both name the entry.
bool matches(const CatalogEntry& entry, std::string_view name) {
  if (name == entry.name) return true;
  const std::string_view prefix = to_string(entry.collective);
  return name.size() == prefix.size() + 1 + entry.name.size() && name.starts_with(prefix) &&
         name[prefix.size()] == '/' && name.ends_with(entry.name);
}

}  // namespace

VerifiedSchedule select(const Question& question, const topology::Fabric& fabric) {
  for (const Range& range : ranges(fabric.ranks())) {
    if (range.collective != question.collective || question.bytes >= range.below) continue;
    for (const std::string_view name : range.candidates) {
      auto schedule = offer(find(question.collective, name), fabric, question.root);
      if (schedule && strong_enough(*schedule, question.weakest)) return *schedule;
    }
  }
  throw Error(ErrorCode::Unsupported,
              fmt::format("no {} schedule of {} numerics fits {} ranks on a {}",
                          to_string(question.collective), to_string(question.weakest),
                          fabric.ranks(), topology::to_string(fabric.fabric_class())));
}

VerifiedSchedule select_named(const Question& question, std::string_view name,
                              const topology::Fabric& fabric) {
  if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
    if (parse_collective(name.substr(0, slash)) != question.collective) {
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("schedule {} cannot serve {}", name, to_string(question.collective)));
    }
    name.remove_prefix(slash + 1);
  }
  const auto schedule = offer(find(question.collective, name), fabric, question.root);
  if (!schedule) {
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format("{}/{} does not exist for {} ranks on a {}", to_string(question.collective),
                    name, fabric.ranks(), topology::to_string(fabric.fabric_class())));
  }
  if (!strong_enough(*schedule, question.weakest)) {
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format("{}/{} is of numerics {}, {} was asked for", to_string(question.collective),
                    name, to_string(schedule->facts().numerics), to_string(question.weakest)));
  }
  return *schedule;
}

bool serves(std::string_view name, Collective collective) {
  if (name.empty()) return false;
  bool known = false;
  for (const CatalogEntry& entry : catalog()) {
    if (!matches(entry, name)) continue;
    known = true;
    if (entry.collective == collective) return true;
  }
  if (known) return false;
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("no collective has a schedule named '{}'; `rocectl schedule list` prints "
                          "the names",
                          name));
}

}  // namespace roce::schedule

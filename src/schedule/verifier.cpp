// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/verifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "roce/status.hpp"
#include "src/base/names.hpp"
#include "src/schedule/proof/evaluation.hpp"
#include "src/schedule/proof/event_graph.hpp"
#include "src/schedule/proof/facts.hpp"
#include "src/schedule/proof/parts.hpp"
#include "src/schedule/proof/races.hpp"
#include "src/schedule/proof/shape.hpp"

namespace roce::schedule {
namespace {

constexpr std::array<base::Name<Fault>, 6> fault_names{{
    {"none", Fault::None},
    {"malformed", Fault::Malformed},
    {"off fabric", Fault::OffFabric},
    {"deadlock", Fault::Deadlock},
    {"race", Fault::Race},
    {"wrong", Fault::Wrong},
}};

constexpr int max_depth = 16;

Schedule without_flushes(Schedule schedule) {
  for (Program& program : schedule.programs) {
    std::erase_if(program, [](const Operation& op) { return op.kind == OpKind::Flush; });
  }
  return schedule;
}

bool has_flushes(const Schedule& schedule) {
  return std::any_of(schedule.programs.begin(), schedule.programs.end(), [](const Program& rank) {
    return std::any_of(rank.begin(), rank.end(),
                       [](const Operation& op) { return op.kind == OpKind::Flush; });
  });
}

}  // namespace

std::string_view to_string(Fault fault) noexcept { return base::name_of(fault_names, fault); }

/// The checks of one schedule on one fabric, cheapest first. Refers to both.
class Verification {
 public:
  Verification(const Schedule& schedule, const topology::Fabric& fabric) {
    if (fail(Fault::Malformed, proof::find_malformed(schedule))) return;
    if (fabric.ranks() != schedule.ranks) {
      fail(Fault::Malformed, fmt::format("a schedule for {} ranks on a fabric of {}",
                                         schedule.ranks, fabric.ranks()));
      return;
    }
    partition_.emplace(schedule);
    extents_ = proof::slot_extents(schedule);
    if (!extents_ && fail(Fault::Malformed, "a slot's hull has more than 65,535 chunks")) return;
    if (fail(Fault::OffFabric, proof::find_off_fabric(schedule, fabric))) return;
    graph_.emplace(schedule);
    if (fail(Fault::Deadlock, graph_->deadlock())) return;
    fail(Fault::Malformed, proof::find_unwritten(schedule, *partition_));
  }

  [[nodiscard]] Verdict at_depth(int depth) {
    if (!verdict_.sound()) return verdict_;
    if (depth < 1) return {Fault::Malformed, fmt::format("depth {}", depth), {}};
    std::string race = proof::find_race(*graph_, *partition_, depth);
    if (!race.empty()) return {Fault::Race, std::move(race), {}};
    evaluate();
    return verdict_;
  }

  /// The least sound depth, or an error with the reason at the greatest.
  [[nodiscard]] static VerifiedSchedule prove(Schedule schedule, const topology::Fabric& fabric) {
    auto data = std::make_shared<VerifiedSchedule::Data>();
    data->schedule = std::move(schedule);
    Verification verification(data->schedule, fabric);
    int depth = 1;
    Verdict verdict = verification.at_depth(depth);
    while (verdict.fault == Fault::Race && depth < max_depth) {
      depth *= 2;
      verdict = verification.at_depth(depth);
    }
    if (!verdict.sound()) {
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("schedule {}/{} for {} ranks is unsound ({}): {}",
                              to_string(data->schedule.collective), data->schedule.name,
                              data->schedule.ranks, to_string(verdict.fault), verdict.reason));
    }
    data->facts = proof::count_facts(*verification.graph_);
    data->facts.depth = depth;
    data->facts.numerics = verdict.numerics;
    data->facts.flush_needed = has_flushes(data->schedule) &&
                               !check(without_flushes(data->schedule), fabric, depth).sound();
    data->extents = std::move(*verification.extents_);
    data->completes = std::move(verification.completes_);
    return VerifiedSchedule(std::move(data));
  }

 private:
  /// Notes a fault when there is a reason for one.
  bool fail(Fault fault, std::string reason) {
    if (reason.empty()) return false;
    verdict_ = {fault, std::move(reason), {}};
    return true;
  }

  void evaluate() {
    if (!completes_.empty()) return;
    proof::Evaluation separate = proof::evaluate(*graph_, *partition_, false);
    if (fail(Fault::Wrong, std::move(separate.wrong))) return;
    proof::Evaluation in_place = proof::evaluate(*graph_, *partition_, true);
    if (fail(Fault::Wrong, std::move(in_place.wrong))) return;
    if (separate.completes != in_place.completes) {
      fail(Fault::Wrong, "in place, other reduces complete the result than with separate buffers");
      return;
    }
    verdict_.numerics =
        separate.numerics == in_place.numerics ? separate.numerics : Numerics::Agreed;
    completes_ = std::move(separate.completes);
  }

  Verdict verdict_;
  std::optional<proof::Partition> partition_;
  std::optional<proof::EventGraph> graph_;
  std::optional<std::vector<SlotExtent>> extents_;
  std::vector<std::vector<bool>> completes_;
};

Verdict check(const Schedule& schedule, const topology::Fabric& fabric, int depth) {
  return Verification(schedule, fabric).at_depth(depth);
}

VerifiedSchedule verify(Schedule schedule, const topology::Fabric& fabric) {
  return Verification::prove(std::move(schedule), fabric);
}

}  // namespace roce::schedule

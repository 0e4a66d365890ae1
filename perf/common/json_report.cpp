// SPDX-License-Identifier: Apache-2.0
#include "perf/common/json_report.hpp"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "perf/common/element.hpp"

extern char** environ;

namespace roce::perf {
namespace {

using Json = nlohmann::ordered_json;

// "NAME=value" without what would let a reader join the job.
std::string without_secret(std::string_view variable) {
  if (variable.starts_with("ROCE_SECRET=")) return "ROCE_SECRET=(not shown)";
  if (variable.starts_with("ROCE_RENDEZVOUS=")) {
    const auto slash = variable.find('/');
    if (slash != std::string_view::npos) {
      return std::string(variable.substr(0, slash + 1)) + "(not shown)";
    }
  }
  return std::string(variable);
}

Json own_environment() {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    if (variable.starts_with("ROCE_")) variables.push_back(without_secret(variable));
  }
  std::sort(variables.begin(), variables.end());
  return variables;
}

Json devices(const RunResult& result) {
  Json list = Json::array();
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
    const RankInfo& info = result.ranks[rank];
    list.push_back({{"rank", rank},
                    {"group", 0},
                    {"pid", info.pid},
                    {"hostname", info.host},
                    {"device", 0},
                    {"device_hex", result.transport},
                    {"device_info", info.processor},
                    {"pinned_bytes", info.pinned_bytes}});
  }
  return list;
}

Json settings(const Config& config) {
  Json list = Json::object();
  for (const Config::Row& row : config.describe()) {
    list[row.variable] = {{"value", row.value}, {"source", to_string(row.source)}};
  }
  return list;
}

Json config(const Options& options, const RunResult& result) {
  Json object{{"nthreads", options.threads},
              {"ngpus", 1},
              {"nranks", result.ranks.size()},
              {"minimum_bytes", options.min_bytes},
              {"maximum_bytes", options.max_bytes}};
  if (options.step_factor > 1) {
    object["step_factor"] = options.step_factor;
  } else {
    object["step_bytes"] = options.step_bytes;
  }
  object.update({{"warmup_iters", options.warmup},
                 {"iterations", options.iterations},
                 {"aggregated_iterations", options.aggregate},
                 {"validation", options.checks},
                 {"graph", 0},
                 {"blocking_collectives", static_cast<int>(options.blocking)},
                 {"average", static_cast<int>(options.average)},
                 {"unalign", options.unalign},
                 {"per_iter_timing", options.percentiles},
                 {"transport", result.transport},
                 {"settings", settings(options.config)},
                 {"devices", devices(result)}});
  return object;
}

Json times(const Options& options, const ResultRow& row, const Measurement& m, int ranks) {
  const Bandwidth speed = bandwidth(options.collective, row.shape.size(), ranks, m.elapsed_us);
  Json object;
  if (options.cpu_time) {
    object["cpu_time"] = m.cpu_us;
  } else {
    object["time"] = m.elapsed_us;
  }
  object.update({{"alg_bw", speed.algorithm},
                 {"bus_bw", speed.bus},
                 {"nwrong", m.wrong ? Json(*m.wrong) : Json(nullptr)}});
  return object;
}

Json per_iteration(const IterationStatistics& s) {
  return {{"min_us", s.min}, {"max_us", s.max}, {"avg_us", s.mean},
          {"p50_us", s.p50}, {"p95_us", s.p95}, {"p99_us", s.p99}};
}

Json plan(const PlanInfo& info) {
  return {{"schedule", info.schedule}, {"numerics", to_string(info.numerics)},
          {"hops", info.hops},         {"depth", info.depth},
          {"segments", info.segments}, {"segment_bytes", info.segment_bytes}};
}

Json row_object(const Options& options, const ResultRow& row, int ranks) {
  const bool barrier = options.collective == Collective::Barrier;
  Json object{{"size", row.shape.size()},
              {"count", row.shape.count},
              {"type", barrier ? "none" : table_name(row.type)},
              {"redop", row.op},
              {"root", row.root}};
  object["out_of_place"] = times(options, row, row.out_of_place, ranks);
  if (row.out_of_place.per_iteration) {
    object["out_of_place_per_iter"] = per_iteration(*row.out_of_place.per_iteration);
  }
  object["in_place"] = row.in_place ? times(options, row, *row.in_place, ranks) : Json(nullptr);
  if (row.in_place && row.in_place->per_iteration) {
    object["in_place_per_iter"] = per_iteration(*row.in_place->per_iteration);
  }
  object["plan"] = plan(row.out_of_place.plan);
  object["actual_iterations"] = options.iterations;
  object["experiment_name"] = "";
  return object;
}

}  // namespace

std::string json_report(const Options& options, const RunResult& result) {
  const auto ranks = static_cast<int>(result.ranks.size());
  Json report{{"version", 3},
              {"roce_collectives_version", ROCE_PERF_VERSION},
              {"collective", to_string(options.collective)},
              {"start_time", result.start_time},
              {"args", options.arguments},
              {"env", own_environment()},
              {"machine",
               {{"hostname", result.machine.host},
                {"kernel", result.machine.kernel},
                {"processor", result.machine.processor},
                {"cores", result.machine.cores}}},
              {"config", config(options, result)},
              {"results", Json::array()}};
  for (const ResultRow& row : result.rows) {
    report["results"].push_back(row_object(options, row, ranks));
  }
  report["out_of_bounds"] = {{"count", result.wrong}, {"okay", result.wrong == 0}};
  report["average_bus_bandwidth"] = {{"bandwidth", result.average_bus_bandwidth},
                                     {"okay", "unchecked"}};
  report["end_time"] = timestamp();
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace roce::perf

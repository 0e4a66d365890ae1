// SPDX-License-Identifier: Apache-2.0
#include "perf/common/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "perf/common/element.hpp"
#include "perf/common/size.hpp"

namespace roce::perf {
namespace {

constexpr const char* row_start = "{:>12}  {:>12}  {:>8}  {:>6}  {:>6}";
constexpr const char* result_columns = "  {:>7}  {:>6}  {:>6}  {:>6}";
constexpr const char* percentile_columns = "  {:>7}  {:>7}  {:>7}";

bool has_schedule(const Options& options) { return options.show_schedule || options.percentiles; }

std::string centered_titles(const Options& options) {
  const int width = options.percentiles ? 60 : 33;
  const int start = width / 2 + 6;
  return fmt::format("#{:>50}{:>{}}{:>{}}\n", "", "out-of-place", start, "in-place", width);
}

std::string column_line(const Options& options, std::array<const char*, 5> start,
                        std::array<const char*, 4> result, std::array<const char*, 3> percentiles,
                        const char* schedule) {
  std::string line = "#";
  line += fmt::format(fmt::runtime(row_start), start[0], start[1], start[2], start[3], start[4])
              .substr(1);
  for (int place = 0; place < 2; ++place) {
    line += fmt::format(fmt::runtime(result_columns), result[0], result[1], result[2], result[3]);
    if (options.percentiles) {
      line += fmt::format(fmt::runtime(percentile_columns), percentiles[0], percentiles[1],
                          percentiles[2]);
    }
  }
  if (has_schedule(options)) line += fmt::format("  {}", schedule);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string describe_blocking(Blocking blocking) {
  switch (blocking) {
    case Blocking::WaitBarrier:
      return "# Blocking Enabled: wait and barrier after each inner iteration (-m)\n";
    case Blocking::Wait:
      return "# Blocking Enabled: wait after each inner iteration (-m), no barrier\n";
    case Blocking::BarrierOutside:
      return "# Blocking Enabled: wait and barrier after each outer iteration (-n); time excludes "
             "barrier\n";
    case Blocking::None:
      break;
  }
  return {};
}

std::string describe_run(const Options& options) {
  const bool factor = options.step_factor > 1;
  std::string text = fmt::format(
      "# roce-collectives {}\n"
      "# Collective test starting: {}\n"
      "# nThread {} nGpus 1 minBytes {} maxBytes {} step: {}({}) warmup iters: {} iters: {} "
      "agg iters: {} validation: {} graph: 0 unalign: {}\n",
      ROCE_PERF_VERSION, options.program, options.threads, options.min_bytes, options.max_bytes,
      factor ? options.step_factor : options.step_bytes, factor ? "factor" : "bytes",
      options.warmup, options.iterations, options.aggregate, options.checks, options.unalign);
  text += describe_blocking(options.blocking);
  if (options.local_register != 0) {
    text += "# Registration (-R): nothing to do, this transport registers no user buffers\n";
  }
  if (options.percentiles) {
    text +=
        "# p50, p99, max: the slowest rank of each iteration, over iterations, in a pass of "
        "their own\n";
  }
  return text;
}

std::string measurement_columns(const Options& options, const ResultRow& row,
                                const Measurement& result, int ranks) {
  const Bandwidth speed = bandwidth(options.collective, row.shape.size(), ranks, result.elapsed_us);
  const double time = options.cpu_time ? result.cpu_us : result.elapsed_us;
  std::string text =
      fmt::format(fmt::runtime(result_columns), fixed_width(time, 7),
                  fixed_width(speed.algorithm, 6), fixed_width(speed.bus, 6),
                  result.wrong ? fmt::format("{}", *result.wrong) : std::string("N/A"));
  if (result.per_iteration) {
    text += fmt::format(fmt::runtime(percentile_columns), fixed_width(result.per_iteration->p50, 7),
                        fixed_width(result.per_iteration->p99, 7),
                        fixed_width(result.per_iteration->max, 7));
  }
  return text;
}

std::string absent_columns(const Options& options) {
  std::string text = fmt::format(fmt::runtime(result_columns), "N/A", "N/A", "N/A", "N/A");
  if (options.percentiles) {
    text += fmt::format(fmt::runtime(percentile_columns), "N/A", "N/A", "N/A");
  }
  return text;
}

}  // namespace

std::string fixed_width(double value, int width) {
  for (int decimals = 2; decimals >= 0; --decimals) {
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.size() <= static_cast<std::size_t>(width)) return text;
  }
  return fmt::format("{:.{}e}", value, width >= 7 ? 1 : 0);
}

std::string table_header(const Options& options, const RunResult& result) {
  std::string text = describe_run(options) + "#\n# Using devices\n";
  std::size_t pinned = 0;
  std::size_t most = 0;
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
    const RankInfo& info = result.ranks[rank];
    text += fmt::format("#  Rank {:2} Group  0 Pid {:6} on {:>10} device  0 [{}] {}\n", rank,
                        info.pid, info.host, result.transport, info.processor);
    pinned += info.pinned_bytes;
    most = std::max(most, info.pinned_bytes);
  }
  text += fmt::format("# {:<20} : {}\n", "Transport", result.transport);
  text += fmt::format("# {:<20} : {} B ({}) a rank, {} B ({}) in all\n#\n", "Pinned slot memory",
                      most, format_size(most), pinned, format_size(pinned));
  text += centered_titles(options);
  const char* time = options.cpu_time ? "cputime" : "time";
  text += column_line(options, {"size", "count", "type", "redop", "root"},
                      {time, "algbw", "busbw", "#wrong"}, {"p50", "p99", "max"}, "schedule");
  text += column_line(options, {"(B)", "(elements)", "", "", ""}, {"(us)", "(GB/s)", "(GB/s)", ""},
                      {"(us)", "(us)", "(us)"}, "");
  return text;
}

std::string table_row(const Options& options, const ResultRow& row, int ranks) {
  std::string text = fmt::format(
      fmt::runtime(row_start), row.shape.size(), row.shape.count,
      options.collective == Collective::Barrier ? "none" : table_name(row.type), row.op, row.root);
  text += measurement_columns(options, row, row.out_of_place, ranks);
  text += row.in_place ? measurement_columns(options, row, *row.in_place, ranks)
                       : absent_columns(options);
  if (has_schedule(options)) text += fmt::format("  {}", row.out_of_place.plan.schedule);
  return text + "\n";
}

std::string table_footer(const Options& options, const RunResult& result) {
  return fmt::format(
      "# {:<20} : {} {}\n"
      "# {:<20} : {:g}\n"
      "#\n"
      "# Collective test concluded: {}\n",
      "Out of bounds values", result.wrong, result.wrong == 0 ? "OK" : "FAILED",
      "Avg bus bandwidth", result.average_bus_bandwidth, options.program);
}

}  // namespace roce::perf

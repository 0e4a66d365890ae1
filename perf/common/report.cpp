// SPDX-License-Identifier: Apache-2.0
#include "perf/common/report.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "perf/common/element.hpp"
#include "perf/common/json_report.hpp"
#include "perf/common/output_file.hpp"
#include "perf/common/plot.hpp"
#include "perf/common/series.hpp"
#include "perf/common/table.hpp"

namespace roce::perf {
namespace {

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::string describe(const Options& options, const RunResult& result) {
  std::string text = fmt::format("{} ranks, {}", result.ranks.size(), result.transport);
  if (options.types.size() == 1) text += fmt::format(", {}", table_name(options.types.front()));
  if (options.ops.size() == 1 && reduces(options.collective)) {
    text += fmt::format(" {}", to_string(options.ops.front()));
  }
  return text + fmt::format(", {} iterations, {}", options.iterations, result.machine.host);
}

}  // namespace

Report::Report(const Options& options) : options_(options) {
  for (const std::string& path : {options.json_file, options.plot_file}) {
    if (!path.empty()) require_writable(path);
  }
  for (const std::string& path : options.compare_files) static_cast<void>(series_of_file(path));
  result_.start_time = timestamp();
  result_.machine = this_machine();
}

void Report::begin(std::vector<RankInfo> ranks, std::string transport) {
  result_.ranks = std::move(ranks);
  result_.transport = std::move(transport);
  print(table_header(options_, result_));
}

void Report::add(ResultRow row) {
  print(table_row(options_, row, static_cast<int>(result_.ranks.size())));
  result_.rows.push_back(std::move(row));
}

void Report::write_plot(const std::string& json) const {
  auto series = series_of_report(json, options_.compare_files.empty() ? "" : "this run");
  for (const std::string& path : options_.compare_files) {
    for (Series& line : series_of_file(path)) series.push_back(std::move(line));
  }
  write_file(options_.plot_file, plot_svg(options_.program, describe(options_, result_), series));
}

int Report::end() {
  summarize(options_, result_);
  print(table_footer(options_, result_));
  const std::string json = json_report(options_, result_);
  if (!options_.json_file.empty()) write_file(options_.json_file, json);
  if (!options_.plot_file.empty()) write_plot(json);
  return result_.wrong == 0 ? 0 : 1;
}

}  // namespace roce::perf

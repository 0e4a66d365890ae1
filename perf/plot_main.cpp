// SPDX-License-Identifier: Apache-2.0
// roce_perf_plot: several -J reports in one picture.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "perf/common/output_file.hpp"
#include "perf/common/plot.hpp"
#include "perf/common/series.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Draws time against size from reports that the benchmarks wrote with -J.",
               "roce_perf_plot"};
  std::vector<std::string> reports;
  std::string output;
  std::string title = "time against size";
  app.add_option("reports", reports, "JSON reports")->required()->check(CLI::ExistingFile);
  app.add_option("-o,--output", output, "SVG file to write")->required();
  app.add_option("--title", title, "Heading")->capture_default_str();
  app.footer("\nExample:\n  roce_perf_plot -o both.svg one_shot.json two_shot.json");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    std::vector<roce::perf::Series> series;
    std::string names;
    for (const std::string& path : reports) {
      for (auto& line : roce::perf::series_of_file(path)) series.push_back(std::move(line));
      names += (names.empty() ? "" : ", ") + path;
    }
    roce::perf::write_file(output, roce::perf::plot_svg(title, names, series));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "roce_perf_plot: %s\n", error.what());
    return 1;
  }
  return 0;
}

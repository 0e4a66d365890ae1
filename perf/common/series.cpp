// SPDX-License-Identifier: Apache-2.0
#include "perf/common/series.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "roce/status.hpp"

namespace roce::perf {
namespace {

using Json = nlohmann::json;
using TimesBySize = std::map<double, std::vector<double>>;

// What a row was run with, as words of a label.
std::string variant_of(const Json& row) {
  std::string text = row.at("type").get<std::string>();
  const auto op = row.at("redop").get<std::string>();
  if (op != "none") text += " " + op;
  const Json& root = row.at("root");
  if (root.is_number() && root.get<int>() >= 0) text += fmt::format(" root {}", root.get<int>());
  return text;
}

void add_time(TimesBySize& times, const Json& row, const char* place) {
  const auto size = row.at("size").get<double>();
  if (size <= 0 || !row.contains(place) || row.at(place).is_null()) return;
  const Json& result = row.at(place);
  const auto us = result.at(result.contains("time") ? "time" : "cpu_time").get<double>();
  if (us > 0) times[size].push_back(us);
}

Series make_series(std::string label, const TimesBySize& times, bool dashed) {
  Series series{std::move(label), {}, dashed};
  for (const auto& [size, all] : times) {
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    series.points.push_back({size, sum / static_cast<double>(all.size())});
  }
  return series;
}

std::vector<Series> read_report(const Json& report, const std::string& name) {
  std::map<std::string, std::pair<TimesBySize, TimesBySize>> variants;
  std::vector<std::string> order;
  for (const Json& row : report.at("results")) {
    const std::string variant = variant_of(row);
    if (!variants.contains(variant)) order.push_back(variant);
    auto& [out_of_place, in_place] = variants[variant];
    add_time(out_of_place, row, "out_of_place");
    add_time(in_place, row, "in_place");
  }
  std::vector<Series> all;
  for (const std::string& variant : order) {
    std::string lead = name.empty() ? "" : name + ", ";
    if (order.size() > 1) lead += variant + ", ";
    const auto& [out_of_place, in_place] = variants[variant];
    if (!out_of_place.empty()) {
      all.push_back(make_series(lead + "out-of-place", out_of_place, false));
    }
    if (!in_place.empty()) all.push_back(make_series(lead + "in-place", in_place, true));
  }
  return all;
}

}  // namespace

std::vector<Series> series_of_report(const std::string& text, const std::string& name) {
  try {
    return read_report(Json::parse(text), name);
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} is no report of -J: {}", name, error.what()));
  }
}

std::vector<Series> series_of_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error(ErrorCode::InvalidArgument, fmt::format("cannot read {}", path));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return series_of_report(text, std::filesystem::path(path).stem().string());
}

}  // namespace roce::perf

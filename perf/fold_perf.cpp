// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "roce/types.hpp"
#include "src/reduce/fold.hpp"

namespace {

using roce::DataType;
using roce::ReduceOp;
using Clock = std::chrono::steady_clock;

struct Settings {
  std::vector<std::string> types{"float32", "bfloat16", "float16", "fp8e4m3",
                                 "fp8e5m2", "int32",    "float64", "int8"};
  std::string op = "sum";
  std::vector<std::size_t> sources{2, 4, 8};
  std::vector<std::size_t> counts{1, 2, 4, 7, 8, 15, 16, 31, 64};
  std::vector<std::size_t> bytes{8192, 65536, 1048576};
  double seconds = 0.02;
};

/// A fold of `count` elements of ones from each of some buffers into another.
class Fold {
 public:
  Fold(DataType type, ReduceOp::Kind kind, std::size_t sources, std::size_t count)
      : function_(roce::reduce::fold_function(type, kind)), count_(count) {
    std::vector<std::byte> ones(count * roce::size_of(type));
    for (std::size_t at = 0; at < ones.size(); at += roce::size_of(type)) {
      roce::reduce::from_double(type, 1, ones.data() + at);
    }
    buffers_.assign(sources + 1, ones);
    for (std::size_t s = 1; s <= sources; ++s) pointers_.push_back(buffers_[s].data());
    if (kind == ReduceOp::Kind::Avg) options_.divisor = static_cast<std::uint32_t>(sources);
    if (kind == ReduceOp::Kind::PremulSum) {
      options_.premul_mask = 1;
      options_.factor_bits = ReduceOp::premul_sum(1.0F).factor_bits();
    }
  }

  void operator()() {
    function_(buffers_[0].data(), pointers_.data(), pointers_.size(), count_, options_);
  }

 private:
  roce::reduce::FoldFunction function_;
  std::size_t count_;
  std::vector<std::vector<std::byte>> buffers_;
  std::vector<const void*> pointers_;
  roce::reduce::FoldOptions options_;
};

double seconds_of(Fold& fold, std::size_t calls) {
  const auto start = Clock::now();
  for (std::size_t i = 0; i < calls; ++i) fold();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Seconds a call: the best of five batches, each of which lasts a fifth of `budget`.
double measure(Fold fold, double budget) {
  std::size_t calls = 1;
  double batch = seconds_of(fold, calls);
  while (batch < budget / 5) {
    calls *= 2;
    batch = seconds_of(fold, calls);
  }
  double best = batch;
  for (int round = 0; round < 4; ++round) best = std::min(best, seconds_of(fold, calls));
  return best / static_cast<double>(calls);
}

void print_header(const Settings& settings) {
  fmt::print("# {}; ns a call for a few elements, then GB/s read and written\n", settings.op);
  fmt::print("{:>9} {:>7}", "type", "sources");
  for (const std::size_t count : settings.counts) fmt::print(" {:>6}", count);
  for (const std::size_t bytes : settings.bytes) fmt::print(" {:>9}B", bytes);
  fmt::print("\n");
}

void print_row(const Settings& settings, DataType type, ReduceOp::Kind kind, std::size_t sources) {
  fmt::print("{:>9} {:>7}", roce::to_string(type), sources);
  for (const std::size_t count : settings.counts) {
    fmt::print(" {:6.1f}", measure(Fold(type, kind, sources, count), settings.seconds) * 1e9);
  }
  for (const std::size_t bytes : settings.bytes) {
    const std::size_t count = bytes / roce::size_of(type);
    const double seconds = measure(Fold(type, kind, sources, count), settings.seconds);
    const auto moved = static_cast<double>(count * roce::size_of(type) * (sources + 1));
    fmt::print(" {:10.1f}", moved / seconds * 1e-9);
  }
  fmt::print("\n");
}

void add_options(CLI::App& app, Settings& settings) {
  app.add_option("-d,--datatype", settings.types, "Element types")->capture_default_str();
  app.add_option("-o,--op", settings.op, "sum, prod, max, min, avg or mulsum")
      ->capture_default_str();
  app.add_option("-n,--sources", settings.sources, "Numbers of sources")
      ->check(CLI::Range(std::size_t{1}, std::size_t{64}))
      ->capture_default_str();
  app.add_option("-c,--counts", settings.counts, "Element counts that are timed in ns")
      ->capture_default_str();
  app.add_option("-b,--bytes", settings.bytes, "Bytes a source that are reported in GB/s")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("-t,--seconds", settings.seconds, "Time for each figure")
      ->check(CLI::Range(0.0001, 60.0))
      ->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Times the fold kernels of one thread, caches warm.\n"
      "Example: fold_perf -d bfloat16 -n 2 8 -b 8192 65536"};
  Settings settings;
  add_options(app, settings);
  CLI11_PARSE(app, argc, argv);
  try {
    const ReduceOp::Kind kind = roce::parse_reduce_op(settings.op);
    std::vector<DataType> types;
    for (const std::string& name : settings.types) types.push_back(roce::parse_data_type(name));
    print_header(settings);
    for (const DataType type : types) {
      for (const std::size_t sources : settings.sources) print_row(settings, type, kind, sources);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "fold_perf: {}\n", error.what());
    return 1;
  }
  return 0;
}

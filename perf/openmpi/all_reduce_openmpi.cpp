// SPDX-License-Identifier: Apache-2.0
// Times MPI_Allreduce exactly as roce_all_reduce_perf times ours: the same loops, clock, statistics
// and buffers, a float sum out of place. Rank 0 prints JSON.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "perf/common/buffer.hpp"
#include "perf/common/size.hpp"
#include "perf/common/statistics.hpp"
#include "perf/common/timing.hpp"

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string min_bytes = "8";
  std::string max_bytes = "64K";
  std::size_t step_factor = 2;
  int iterations = 1000;
  int warmup = 100;
};

struct Ranks {
  int rank = 0;
  int size = 1;
};

// Element i of a rank's input: small integers, so that every order of summing is exact.
float input(int rank, std::size_t i) { return static_cast<float>((rank + i) % 8); }

std::size_t count_wrong(const float* out, std::size_t count, int ranks) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    float sum = 0;
    for (int rank = 0; rank < ranks; ++rank) sum += input(rank, i);
    wrong += out[i] != sum ? 1 : 0;
  }
  return wrong;
}

// The slowest rank of each iteration; rank 0 has the result.
std::vector<double> slowest(const std::vector<double>& samples) {
  std::vector<double> all(samples.size());
  MPI_Reduce(samples.data(), all.data(), static_cast<int>(samples.size()), MPI_DOUBLE, MPI_MAX, 0,
             MPI_COMM_WORLD);
  return all;
}

Json measure(const Options& options, const Ranks& ranks, std::size_t bytes, float* in, float* out) {
  const std::size_t count = bytes / sizeof(float);
  for (std::size_t i = 0; i < count; ++i) in[i] = input(ranks.rank, i);
  const auto all_reduce = [&](int) {
    MPI_Allreduce(in, out, static_cast<int>(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  };
  for (int i = 0; i < options.warmup; ++i) all_reduce(i);
  MPI_Barrier(MPI_COMM_WORLD);
  double mean = roce::perf::time_together(options.iterations, all_reduce) / options.iterations;
  MPI_Allreduce(MPI_IN_PLACE, &mean, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

  std::vector<double> samples(static_cast<std::size_t>(options.iterations));
  MPI_Barrier(MPI_COMM_WORLD);
  roce::perf::time_each(samples, all_reduce);
  const auto statistics = roce::perf::summarize(slowest(samples));
  auto wrong = static_cast<double>(count_wrong(out, count, ranks.size));
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return {{"size", count * sizeof(float)}, {"time", mean / ranks.size}, {"nwrong", wrong},
          {"p50_us", statistics.p50},      {"p99_us", statistics.p99},  {"max_us", statistics.max},
          {"min_us", statistics.min},      {"avg_us", statistics.mean}};
}

int run(const Options& options, const Ranks& ranks) {
  const std::size_t first = roce::perf::parse_size(options.min_bytes);
  const std::size_t last = roce::perf::parse_size(options.max_bytes);
  const roce::perf::Buffer in(last);
  const roce::perf::Buffer out(last);
  std::memset(out.data(), 0, last);
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  Json report{{"library", std::string(library, static_cast<std::size_t>(length))},
              {"ranks", ranks.size},
              {"results", Json::array()}};
  double wrong = 0;
  for (std::size_t bytes = first; bytes > 0 && bytes <= last; bytes *= options.step_factor) {
    // mmap's memory has no type yet; these become its floats.
    Json row = measure(options, ranks, bytes, reinterpret_cast<float*>(in.data()),
                       reinterpret_cast<float*>(out.data()));
    wrong += row.at("nwrong").get<double>();
    report["results"].push_back(std::move(row));
  }
  if (ranks.rank == 0) std::printf("%s\n", report.dump(1).c_str());
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Options options;
  CLI::App app{"Times MPI_Allreduce of a float sum the way roce_all_reduce_perf times ours.",
               "all_reduce_openmpi"};
  app.add_option("-b,--minbytes", options.min_bytes, "Smallest size")->capture_default_str();
  app.add_option("-e,--maxbytes", options.max_bytes, "Largest size")->capture_default_str();
  app.add_option("-f,--stepfactor", options.step_factor, "Factor between sizes")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  app.add_option("-n,--iters", options.iterations, "Timed iterations")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  app.add_option("-w,--warmup_iters", options.warmup, "Iterations before")->capture_default_str();
  int status = 0;
  try {
    app.parse(argc, argv);
    Ranks ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
    status = run(options, ranks);
  } catch (const CLI::ParseError& error) {
    status = app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "all_reduce_openmpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}

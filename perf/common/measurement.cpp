// SPDX-License-Identifier: Apache-2.0
#include "perf/common/measurement.hpp"

#include <algorithm>
#include <ctime>
#include <numeric>
#include <vector>

#include "perf/common/gather.hpp"
#include "perf/common/timing.hpp"

namespace roce::perf {
namespace {

double thread_cpu_us() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

double combine(const std::vector<double>& by_rank, Average average) {
  switch (average) {
    case Average::Rank0:
      return by_rank.front();
    case Average::Min:
      return *std::min_element(by_rank.begin(), by_rank.end());
    case Average::Max:
      return *std::max_element(by_rank.begin(), by_rank.end());
    case Average::Mean:
      break;
  }
  return std::accumulate(by_rank.begin(), by_rank.end(), 0.0) / static_cast<double>(by_rank.size());
}

struct Elapsed {
  double wall_us;
  double cpu_us;
};

// All iterations; with -z 3 a barrier follows each one and is left out of both times.
Elapsed run_all(Communicator& communicator, Operation& operation, const Options& options) {
  const double cpu_begin = thread_cpu_us();
  if (options.blocking != Blocking::BarrierOutside) {
    const double wall = time_together(options.iterations, [&](int) { operation.iterate(); });
    return {wall, thread_cpu_us() - cpu_begin};
  }
  Elapsed total{0, 0};
  for (int i = 0; i < options.iterations; ++i) {
    const double cpu = thread_cpu_us();
    total.wall_us += time_together(1, [&](int) { operation.iterate(); });
    total.cpu_us += thread_cpu_us() - cpu;
    require(communicator.barrier());
  }
  return total;
}

// Microseconds of each iteration on this rank, for one operation.
std::vector<double> run_each(Communicator& communicator, Operation& operation,
                             const Options& options) {
  std::vector<double> samples(static_cast<std::size_t>(options.iterations));
  require(communicator.barrier());
  if (options.blocking == Blocking::BarrierOutside) {
    for (double& sample : samples) {
      sample = time_together(1, [&](int) { operation.iterate(); });
      require(communicator.barrier());
    }
  } else {
    time_each(samples, [&](int) { operation.iterate(); });
  }
  for (double& sample : samples) sample /= operation.operations_per_iteration();
  return samples;
}

}  // namespace

Measurement measure(Communicator& communicator, Operation& operation, const Options& options) {
  Measurement result;
  result.plan = operation.info();
  for (int i = 0; i < options.warmup; ++i) operation.iterate();
  require(communicator.barrier());
  const Elapsed mine = run_all(communicator, operation, options);
  const double operations =
      static_cast<double>(options.iterations) * operation.operations_per_iteration();
  result.elapsed_us = combine(gather(communicator, mine.wall_us / operations), options.average);
  result.cpu_us = combine(gather(communicator, mine.cpu_us / operations), options.average);
  if (options.percentiles) {
    const auto samples = run_each(communicator, operation, options);
    result.per_iteration = summarize(slowest(communicator, samples));
  }
  return result;
}

}  // namespace roce::perf

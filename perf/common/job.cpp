// SPDX-License-Identifier: Apache-2.0
#include "perf/common/job.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "perf/common/agreed_error.hpp"
#include "perf/common/options.hpp"
#include "perf/common/report.hpp"
#include "perf/common/runner.hpp"
#include "roce/bootstrap.hpp"
#include "roce/communicator.hpp"
#include "roce/launch.hpp"

namespace roce::perf {
namespace {

constexpr int failure_status = 1;

// This process's place among the job's ranks.
struct Job {
  const Options& options;
  LaunchInfo launch;
  UniqueId meeting_point;

  [[nodiscard]] int size() const { return launch.size * options.threads; }
  [[nodiscard]] int rank_of(int thread) const { return launch.rank * options.threads + thread; }
};

Job make_job(const Options& options) {
  LaunchInfo launch = launch_from_environment();
  UniqueId meeting_point = launch.size > 1 ? launch.rendezvous : UniqueId::generate("127.0.0.1");
  return {options, std::move(launch), std::move(meeting_point)};
}

void complain(const Job& job, int rank, const char* what) {
  std::fflush(stdout);
  const std::string line = fmt::format("{}: rank {}: {}\n", job.options.program, rank, what);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

// The whole life of one rank. Returns its exit status.
int run_thread(const Job& job, int thread, Report* report) {
  const int rank = job.rank_of(thread);
  try {
    Communicator communicator(
        make_tcp_bootstrap(job.meeting_point, rank, job.size(), job.options.config.connect_timeout),
        job.options.config);
    try {
      run_rank(job.options, communicator, report);
    } catch (const AgreedError& error) {
      if (rank == 0) complain(job, rank, error.what());
      return failure_status;
    } catch (const std::exception& error) {
      communicator.abort(fmt::format("rank {} failed: {}", rank, error.what()));
      throw;
    }
    return report != nullptr ? report->end() : 0;
  } catch (const std::exception& error) {
    complain(job, rank, error.what());
    return failure_status;
  }
}

int run_threads(const Job& job, Report* report) {
  std::atomic<int> status{0};
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(job.options.threads));
  for (int thread = 0; thread < job.options.threads; ++thread) {
    threads.emplace_back([&job, &status, thread, report] {
      const int mine = run_thread(job, thread, job.rank_of(thread) == 0 ? report : nullptr);
      if (mine != 0) status.store(mine);
    });
  }
  threads.clear();  // joins
  return status.load();
}

// A job of many processes prints its help or usage error once.
bool speaks_for_job() {
  try {
    return launch_from_environment().rank == 0;
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace

int run_job(Collective collective, int argc, const char* const* argv) {
  const ParsedOptions parsed = parse_options(collective, argc, argv);
  if (!parsed.options) {
    if (speaks_for_job()) {
      std::fputs(parsed.message.c_str(), parsed.exit_status == 0 ? stdout : stderr);
    } else if (parsed.exit_status != 0) {
      // Launchers end all ranks when the first one fails: rank 0 must have spoken by then.
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    return parsed.exit_status;
  }
  try {
    const Job job = make_job(*parsed.options);
    if (parsed.options->cycles == 0) stop_on_interrupt();
    std::optional<Report> report;
    if (job.rank_of(0) == 0) report.emplace(*parsed.options);
    return run_threads(job, report ? &*report : nullptr);
  } catch (const std::exception& error) {
    const std::string line = fmt::format("{}: {}\n", parsed.options->program, error.what());
    std::fwrite(line.data(), 1, line.size(), stderr);
    return failure_status;
  }
}

}  // namespace roce::perf

// SPDX-License-Identifier: Apache-2.0
// What is left of an all-reduce among more processes than cores when everything is taken away but
// one cache line a rank and sched_yield: a bound for any library that waits so.
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace {

struct Settings {
  int ranks = 8;
  int cores = 2;
  int iterations = 100'000;
};

/// A rank's value and the number of the collective that it belongs to, in one line.
struct alignas(64) Line {
  double value = 0;
  std::atomic<std::uint64_t> epoch{0};
};

constexpr std::size_t copies = 4;  // of each line, so that nobody overwrites what others still read

class Rank {
 public:
  Rank(Line* lines, const Settings& settings, int rank)
      : lines_(lines), settings_(settings), rank_(rank) {}

  double run() {
    const auto begin = std::chrono::steady_clock::now();
    double sum = 0;
    for (int i = 0; i < settings_.iterations; ++i) sum += all_reduce(rank_);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    return sum < 0 ? 0 : time.count() / settings_.iterations;
  }

 private:
  Line& line(int rank) { return lines_[static_cast<std::size_t>(rank) * copies + epoch_ % copies]; }

  double all_reduce(double value) {
    ++epoch_;
    line(rank_).value = value;
    // Release: whoever sees the epoch sees the value.
    line(rank_).epoch.store(epoch_, std::memory_order_release);
    while (true) {
      bool all = true;
      bool neighbour_missing = false;
      for (int rank = 0; rank < settings_.ranks; ++rank) {
        // Acquire: pairs with the release store above.
        if (line(rank).epoch.load(std::memory_order_acquire) >= epoch_) continue;
        all = false;
        neighbour_missing = neighbour_missing || rank % settings_.cores == rank_ % settings_.cores;
      }
      if (all) break;
      if (neighbour_missing) sched_yield();
    }
    double sum = 0;
    for (int rank = 0; rank < settings_.ranks; ++rank) sum += line(rank).value;
    return sum;
  }

  Line* lines_;
  const Settings& settings_;
  int rank_;
  std::uint64_t epoch_ = 0;
};

void pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  static_cast<void>(sched_setaffinity(0, sizeof set, &set));
}

int measure(const Settings& settings) {
  const std::size_t count = static_cast<std::size_t>(settings.ranks) * copies;
  void* const memory = ::mmap(nullptr, count * sizeof(Line), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  auto* const lines = static_cast<Line*>(memory);
  std::uninitialized_default_construct_n(lines, count);
  int rank = 0;
  while (rank < settings.ranks - 1 && ::fork() != 0) ++rank;
  pin(rank % settings.cores);
  const double time = Rank(lines, settings, rank).run();
  if (rank < settings.ranks - 1) ::_exit(0);
  while (::wait(nullptr) > 0) continue;
  fmt::print("{} processes on {} cores: {:.2f} us\n", settings.ranks, settings.cores, time);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Times an exchange of one line a process, with more processes than cores."};
  Settings settings;
  app.add_option("-n,--ranks", settings.ranks, "Processes")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("-c,--cores", settings.cores, "Cores")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("-i,--iterations", settings.iterations, "Exchanges")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return measure(settings);
}

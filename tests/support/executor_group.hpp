// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "src/runtime/compiler.hpp"
#include "src/runtime/executor.hpp"
#include "src/runtime/lane_table.hpp"
#include "src/transport/shm/chaos.hpp"
#include "src/transport/shm/memory.hpp"
#include "src/transport/shm/transport.hpp"
#include "tests/ranks.hpp"
#include "tests/support/collective_case.hpp"
#include "tests/support/guarded_buffer.hpp"

/// Schedules straight on executors, without communicators, so that any verified schedule can run,
/// from any epoch on.
namespace roce::tests {

inline std::unique_ptr<runtime::Engine> make_engine(
    bool chaos, int rank, std::vector<std::shared_ptr<transport::shm::Mapping>> mappings,
    std::uint64_t seed) {
  using namespace transport::shm;
  if (!chaos) return std::make_unique<runtime::Executor<Transport>>(rank, std::move(mappings));
  return std::make_unique<runtime::Executor<ChaosTransport>>(rank, std::move(mappings), seed);
}

/// How operations are run.
struct ExecutorOptions {
  bool chaos = false;
  std::uint64_t seed = 0;
  std::size_t memory = std::size_t{1} << 20;  ///< bytes of slots of each rank
  std::size_t segment_limit = 0;
  transport::Flag first_epoch = transport::Flag{1} << 16;
  std::size_t in_flight = 3;  ///< operations at a time
};

/// An operation of one rank: its programs, its buffers and its request.
class ExecutorOperation {
 public:
  ExecutorOperation(const CollectiveCase& what, const ExpectedResult& expected, int rank)
      : what_(what),
        expected_(expected),
        rank_(rank),
        in_(what.in_bytes(), what.misalignment),
        out_(what.out_bytes(), what.misalignment / 2) {
    const Bytes& input = expected.input(rank);
    std::copy(input.begin(), input.end(), in_.data());
  }

  void start(runtime::Engine& engine, runtime::Lane& lane,
             const schedule::VerifiedSchedule& schedule) {
    const bool blocked = what_.spec.collective == Collective::AllGather ||
                         what_.spec.collective == Collective::ReduceScatter;
    const std::size_t most = lane.layout.segment_bytes / what_.element() /
                             (blocked ? static_cast<std::size_t>(what_.ranks) : 1);
    const std::size_t count = what_.spec.count;
    runtime::Binding binding;
    binding.rank = rank_;
    binding.type = what_.spec.type;
    binding.op = what_.op_of(rank_);
    binding.block_stride = count;
    binding.reads_source_at_once = engine.reads_source_at_once();
    binding.shares_slots = engine.shares_slots();
    request_.segments = count == 0 ? 1 : (count + most - 1) / most;
    request_.segment_step = most * what_.element();
    binding.elements = most;
    if (request_.segments > 1) full_ = runtime::compile(schedule, lane.layout, binding);
    binding.elements = count - most * (request_.segments - 1);
    last_ = runtime::compile(schedule, lane.layout, binding);
    request_.full = &full_;
    request_.last = &last_;
    request_.in = in_.data();
    request_.out = out_.data();
    engine.start(lane, request_, 1);
  }

  /// `given_up` is set once another rank has failed.
  void finish(runtime::Engine& engine, const std::atomic<bool>& given_up) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!request_.done()) {
      if (engine.progress(16)) continue;
      std::this_thread::yield();
      if (given_up) fail("it was given up");
      if (std::chrono::steady_clock::now() > deadline) fail("it does not end");
    }
    if (!in_.intact() || !out_.intact()) fail("something was written beside a buffer");
    const Bytes& input = expected_.input(rank_);
    if (!std::equal(input.begin(), input.end(), in_.bytes().begin())) fail("the input changed");
    const std::string problem = expected_.problem(rank_, out_.bytes());
    if (!problem.empty()) fail(problem);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error("rank " + std::to_string(rank_) + ", " + what_.text() + ": " + why);
  }

  const CollectiveCase& what_;
  const ExpectedResult& expected_;
  int rank_;
  GuardedBuffer in_;
  GuardedBuffer out_;
  runtime::FlatProgram full_;
  runtime::FlatProgram last_;
  runtime::Request request_;
};

/// Runs the cases one after the other through one lane, several in flight, without barriers.
/// Throws std::runtime_error naming the first rank and case that went wrong.
inline void run_on_executors(const schedule::VerifiedSchedule& schedule,
                             const std::vector<CollectiveCase>& cases,
                             const ExecutorOptions& options) {
  const int ranks = schedule.schedule().ranks;
  std::vector<ExpectedResult> expected;
  for (const CollectiveCase& what : cases) expected.emplace_back(what);
  std::vector<transport::shm::Memory> memories;
  std::vector<std::shared_ptr<transport::shm::Mapping>> mappings;
  for (int rank = 0; rank < ranks; ++rank) {
    memories.emplace_back(options.memory);
    mappings.push_back(memories.back().mapping());
  }
  std::atomic<bool> given_up{false};
  std::exception_ptr first_failure;
  const auto run = [&](int rank) {
    std::deque<ExecutorOperation> in_flight;
    runtime::LaneTable lanes(options.memory, options.segment_limit, options.first_epoch);
    runtime::Lane& lane = *lanes.acquire(schedule);
    // Ends before the lanes: puts may be read from their scratch until then.
    const auto engine = make_engine(options.chaos, rank, mappings, options.seed);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (in_flight.size() == options.in_flight) {
        in_flight.front().finish(*engine, given_up);
        in_flight.pop_front();
      }
      in_flight.emplace_back(cases[i], expected[i], rank).start(*engine, lane, schedule);
    }
    for (ExecutorOperation& operation : in_flight) operation.finish(*engine, given_up);
  };
  on_threads(ranks, [&](int rank) {
    try {
      run(rank);
    } catch (...) {
      if (!given_up.exchange(true)) first_failure = std::current_exception();
    }
  });
  if (first_failure) std::rethrow_exception(first_failure);
}

}  // namespace roce::tests

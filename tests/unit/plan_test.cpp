// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/catch.hpp"
#include "tests/ranks.hpp"
#include "tests/support/sanitizers.hpp"

using namespace roce;
using namespace roce::tests;

namespace {

void expect(bool right, const char* what) {
  if (!right) throw std::runtime_error(what);
}

CollectiveSpec sum_of(std::size_t count, std::string schedule = {}) {
  return {Collective::AllReduce, count, DataType::Int32, {}, 0, std::move(schedule)};
}

/// An all-reduce of its own size, with a value that only it has.
struct Job {
  Plan plan;
  std::vector<std::int32_t> data;
  Job(Communicator& communicator, std::size_t count, std::string schedule)
      : plan(communicator.plan(sum_of(count, std::move(schedule)))), data(count) {}
  void start(int value) {
    std::fill(data.begin(), data.end(), value);
    plan.start(data.data(), data.data()).throw_if_failed();
  }
  void check(int expected) const {
    expect(
        std::count(data.begin(), data.end(), expected) == static_cast<std::ptrdiff_t>(data.size()),
        "a wrong sum");
  }
};

ErrorCode refusal(Communicator& communicator, const CollectiveSpec& spec) {
  try {
    static_cast<void>(communicator.plan(spec));
  } catch (const Error& error) {
    return static_cast<ErrorCode>(error.code().value());
  }
  return ErrorCode::Ok;
}

}  // namespace

TEST_CASE("plans that are in flight together may be waited for in any order") {
  constexpr int ranks = 3;
  with_communicators(ranks, test_config(), [](Communicator& communicator) {
    std::mt19937 random(static_cast<unsigned>(communicator.rank()));
    std::vector<std::unique_ptr<Job>> jobs;
    const char* schedules[] = {"one_shot", "two_shot", "one_shot", "bidirectional_ring"};
    const std::size_t counts[] = {1, 5000, 70'000, 300, 40, 200'000, 7, 2000};
    for (std::size_t i = 0; i < std::size(counts); ++i) {
      jobs.push_back(std::make_unique<Job>(communicator, counts[i], schedules[i % 4]));
    }
    for (int round = 0; round < 30; ++round) {
      for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i]->start(round + static_cast<int>(i));
      std::vector<std::size_t> order(jobs.size());
      std::iota(order.begin(), order.end(), 0U);
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t i : order) {
        if (random() % 2 == 0) {
          for (int test = 0; test < 20 && !jobs[i]->plan.test(); ++test) {
          }
        }
        jobs[i]->plan.wait().throw_if_failed();
        jobs[i]->check(ranks * (round + static_cast<int>(i)));
      }
    }
  });
}

TEST_CASE("test alone carries an operation to its end") {
  with_communicators(3, test_config(), [](Communicator& communicator) {
    Job job(communicator, 100'000, "bidirectional_ring");
    for (int round = 1; round < 5; ++round) {
      job.start(round);
      std::optional<Status> status;
      while (!(status = job.plan.test())) std::this_thread::yield();
      status->throw_if_failed();
      job.check(3 * round);
      expect(job.plan.test().has_value() && job.plan.test()->ok(), "test of an idle plan");
      expect(job.plan.wait().ok(), "wait for an idle plan");
    }
  });
}

TEST_CASE("a second start is refused and harms nothing") {
  with_communicators(2, test_config(), [](Communicator& communicator) {
    Job job(communicator, 1000, "");
    if (communicator.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    job.start(1);
    const Status second = job.plan.start(job.data.data(), job.data.data());
    if (communicator.rank() == 0) {
      expect(second.code() == ErrorCode::InvalidArgument, "started twice");
      expect(second.message().find("wait()") != std::string_view::npos, "no advice");
    }
    job.plan.wait().throw_if_failed();
    job.check(2);
    expect(communicator.status().ok(), "poisoned");
    communicator.barrier().throw_if_failed();
  });
}

TEST_CASE("wrong buffers are refused and harm nothing") {
  constexpr int ranks = 4;
  with_communicators(ranks, test_config(), [](Communicator& communicator) {
    std::vector<std::int32_t> data(400);
    std::int32_t* const p = data.data();
    const auto rank = communicator.rank();
    const auto refused = [](const Status& status) {
      expect(status.code() == ErrorCode::InvalidArgument, "a wrong buffer was accepted");
    };
    constexpr auto type = DataType::Int32;
    refused(communicator.all_reduce(nullptr, p, 10, type));
    refused(communicator.all_reduce(p, nullptr, 10, type));
    refused(communicator.all_reduce(p, p + 9, 10, type));
    refused(communicator.all_reduce(p + 1, p, 10, type));
    refused(communicator.all_gather(p + (rank + 1) % 4 * 10, p, 10, type));
    refused(communicator.all_gather(p + rank * 10 + 1, p, 10, type));
    refused(communicator.reduce_scatter(p, p + (rank + 1) % 4 * 10, 10, type));
    refused(communicator.reduce_scatter(p, nullptr, 10, type));
    refused(communicator.broadcast(p, nullptr, 10, type, 1));
    if (rank == 1) refused(communicator.broadcast(nullptr, p, 10, type, 1));
    if (rank == 1) refused(communicator.broadcast(p + 5, p, 10, type, 1));
    refused(communicator.broadcast(p, p, 10, type, 4));
    refused(communicator.broadcast(p, p, 10, type, -1));
    refused(communicator.all_reduce(p, p, ~std::size_t{0}, type));
    refused(communicator.all_reduce(p, p, std::size_t{1} << 60, type));
    refused(communicator.all_reduce(p, p, 10, static_cast<DataType>(12)));
    refused(communicator.all_reduce(p, p, 10, type, static_cast<ReduceOp::Kind>(6)));
    expect(communicator.status().ok(), "poisoned");
    // What touches, but does not overlap, is right, and so is what overlaps where nothing is read.
    communicator.all_reduce(p, p + 10, 10, type).throw_if_failed();
    communicator.broadcast(rank == 1 ? p + 10 : p + 5, p, 10, type, 1).throw_if_failed();
    communicator.all_reduce(nullptr, nullptr, 0, type).throw_if_failed();
  });
}

TEST_CASE("plans that cannot be are refused with a reason") {
  with_communicators(3, test_config(), [](Communicator& communicator) {
    CollectiveSpec spec = sum_of(10);
    spec.schedule = "no_such_schedule";
    expect(refusal(communicator, spec) == ErrorCode::InvalidArgument, "unknown schedule");
    spec.schedule = "all_gather/one_shot";
    expect(refusal(communicator, spec) == ErrorCode::InvalidArgument, "of another collective");
    spec = sum_of(~std::size_t{0} / 4);
    expect(refusal(communicator, spec) == ErrorCode::InvalidArgument, "absurd count");
    spec = {Collective::Broadcast, 10, DataType::Int32, {}, 3, {}};
    expect(refusal(communicator, spec) == ErrorCode::InvalidArgument, "bad root");
    spec = {Collective::AllGather, 10, DataType::Int32, {}, 0, "recursive_doubling"};
    expect(refusal(communicator, spec) == ErrorCode::InvalidArgument, "not for three");
    communicator.barrier().throw_if_failed();
  });
}

TEST_CASE("what a collective has no use for is ignored") {
  with_communicators(3, test_config(), [](Communicator& communicator) {
    for (const std::size_t count : {std::size_t{7}, std::size_t{1} << 20, ~std::size_t{0}}) {
      Plan barrier = communicator.plan({Collective::Barrier, count, DataType::Int64, {}, 9, {}});
      expect(barrier.info().segments == 1, "a barrier of several segments");
      barrier.run(nullptr, nullptr).throw_if_failed();
    }
    std::int32_t value = 1;
    CollectiveSpec spec = sum_of(1);
    spec.root = 77;
    Plan plan = communicator.plan(spec);
    plan.run(&value, &value).throw_if_failed();
    expect(value == 3, "a wrong sum");
  });
}

TEST_CASE("a plan that is destroyed in flight is finished first") {
  with_communicators(3, test_config(), [](Communicator& communicator) {
    std::vector<std::int32_t> data(50'000);
    for (int round = 1; round < 20; ++round) {
      std::fill(data.begin(), data.end(), round);
      {
        Plan plan = communicator.plan(sum_of(data.size()));
        plan.start(data.data(), data.data()).throw_if_failed();
        if (round % 2 == 0) {
          // Moving does not disturb it either.
          Plan moved = std::move(plan);
          plan = communicator.plan(sum_of(1));
        }
      }
      expect(data.front() == 3 * round && data.back() == 3 * round, "a wrong sum");
    }
  });
}

TEST_CASE("a plan works thousands of times") {
  constexpr int times = sanitized ? 2000 : 20'000;
  with_communicators(2, test_config(), [](Communicator& communicator) {
    Job job(communicator, 3, "");
    for (int round = 0; round < times; ++round) {
      job.start(round);
      job.plan.wait().throw_if_failed();
      job.check(2 * round);
    }
  });
}

TEST_CASE("the cache serves more kinds of calls than it holds, and other factors on each rank") {
  with_communicators(2, test_config(), [](Communicator& communicator) {
    std::vector<std::int32_t> data(1300);
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t count = 1; count < data.size(); count += 2) {
        std::fill_n(data.begin(), count, 1);
        communicator.all_reduce(data.data(), data.data(), count, DataType::Int32).throw_if_failed();
        expect(data[0] == 2 && data[count - 1] == 2, "a wrong sum");
      }
    }
    for (int call = 0; call < 700; ++call) {
      std::int32_t value = 1;
      const std::int32_t factor = communicator.rank() == 0 ? 5 : call;
      communicator.all_reduce(&value, &value, 1, DataType::Int32, ReduceOp::premul_sum(factor))
          .throw_if_failed();
      expect(value == 5 + call, "a wrong product");
    }
  });
}

TEST_CASE("eight ranks pin 8 MiB together") {
  std::vector<std::size_t> pinned(8);
  with_communicators(8, test_config(), [&](Communicator& communicator) {
    std::vector<float> data(100'000);
    communicator.all_reduce(data.data(), data.data(), data.size(), DataType::Float32)
        .throw_if_failed();
    std::vector<float> all(8);
    communicator.all_gather(data.data(), all.data(), 1, DataType::Float32).throw_if_failed();
    pinned[static_cast<std::size_t>(communicator.rank())] = communicator.pinned_bytes();
  });
  CHECK(std::accumulate(pinned.begin(), pinned.end(), std::size_t{0}) <= std::size_t{8} << 20);
}

TEST_CASE("a message of a gibibyte goes through slots of a few mebibytes") {
  const auto free_bytes = static_cast<std::size_t>(::sysconf(_SC_AVPHYS_PAGES)) *
                          static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::size_t bytes = std::size_t{1} << (sanitized ? 26U : 30U);
  while (bytes * 3 > free_bytes) bytes /= 2;
  const std::size_t count = bytes / sizeof(std::int32_t) + 1;
  INFO(count << " elements");
  CHECK_NOTHROW(with_communicators(2, test_config(), [&](Communicator& communicator) {
    std::vector<std::int32_t> data(count);
    std::iota(data.begin(), data.end(), communicator.rank());
    communicator.all_reduce(data.data(), data.data(), count, DataType::Int32).throw_if_failed();
    for (std::size_t i = 0; i < count; ++i) {
      expect(data[i] == static_cast<std::int32_t>(2 * i + 1), "a wrong sum");
    }
  }));
}

TEST_CASE("a group of one and every operation on it") {
  with_communicators(1, test_config(), [](Communicator& communicator) {
    const std::vector<float> in{1, 2, 3};
    std::vector<float> out(3);
    constexpr auto type = DataType::Float32;
    communicator.all_reduce(in.data(), out.data(), 3, type, ReduceOp::Kind::Avg).throw_if_failed();
    expect(out == in, "all_reduce");
    communicator.all_reduce(in.data(), out.data(), 3, type, ReduceOp::premul_sum(2.0F))
        .throw_if_failed();
    expect(out == std::vector<float>{2, 4, 6}, "premul_sum");
    communicator.reduce_scatter(in.data(), out.data(), 3, type).throw_if_failed();
    communicator.all_gather(in.data(), out.data(), 3, type).throw_if_failed();
    communicator.broadcast(in.data(), out.data(), 3, type, 0).throw_if_failed();
    expect(out == in, "broadcast");
    communicator.barrier().throw_if_failed();
    communicator.abort("enough");
    expect(communicator.barrier().code() == ErrorCode::Aborted, "abort");
  });
}

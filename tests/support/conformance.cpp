// SPDX-License-Identifier: Apache-2.0
#include "tests/support/conformance.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include "src/schedule/catalog.hpp"
#include "tests/ranks.hpp"
#include "tests/support/guarded_buffer.hpp"

namespace roce::tests {
namespace {

std::vector<std::size_t> counts(int ranks, std::size_t element, std::size_t segment_bytes) {
  const auto n = static_cast<std::size_t>(ranks);
  const std::size_t segment = segment_bytes / element;
  return {1, n - 1, n + 1, 17, 1000 + 3, segment + 1, 0, 2 * n, 5 * segment / 2 + 3};
}

std::vector<int> roots(Collective collective, int ranks) {
  if (collective != Collective::Broadcast || ranks == 1) return {0};
  if (ranks == 2) return {0, 1};
  return {0, ranks / 2, ranks - 1};
}

int operators(Collective collective) {
  const bool reduces =
      collective == Collective::AllReduce || collective == Collective::ReduceScatter;
  return reduces ? reduce_op_count : 1;
}

/// Gives each new case another count, place and alignment, so that in the long run all meet.
class Variation {
 public:
  explicit Variation(std::uint64_t seed) : turn_(seed) {}
  void apply(CollectiveCase& what, std::size_t segment_bytes) {
    const auto sizes = counts(what.ranks, what.element(), segment_bytes);
    constexpr std::array<std::size_t, 7> misalignments{0, 1, 8, 3, 63, 4, 2};
    what.spec.count = sizes[turn_ % sizes.size()];
    what.misalignment = misalignments[turn_ / 2 % misalignments.size()];
    what.in_place = turn_ / 3 % 2 == 1;
    what.seed = turn_++;
  }

 private:
  std::uint64_t turn_;
};

/// A rank's side of a case.
class CaseRun {
 public:
  CaseRun(const CollectiveCase& what, const ExpectedResult& expected, int rank)
      : what_(what),
        expected_(expected),
        rank_(rank),
        in_(what.in_bytes(), what.misalignment),
        out_(what.out_bytes(), (what.misalignment * 5 + 7) % 64) {
    const Place place = what.in_place ? whole() : Place{&in_, 0};
    const Bytes& input = expected.input(rank);
    if (!input.empty())
      std::memcpy(place.buffer->data() + place.offset, input.data(), input.size());
  }

  void run(Communicator& communicator) {
    CollectiveSpec spec = what_.spec;
    spec.op = what_.op_of(rank_);
    Plan plan = communicator.plan(spec);
    if (plan.info().numerics != what_.numerics) fail("the plan has other numerics");
    const Status status = plan.run(in(), out());
    if (!status.ok()) fail(status.message());
    check();
  }

  [[nodiscard]] std::span<const std::byte> result() {
    return {static_cast<const std::byte*>(out()), what_.out_bytes()};
  }

 private:
  /// A user's buffer that may be a part of a larger one.
  struct Place {
    GuardedBuffer* buffer;
    std::size_t offset;
  };
  /// In place, the larger of the two buffers holds both.
  Place whole() {
    const std::size_t own = static_cast<std::size_t>(rank_) * what_.spec.count * what_.element();
    if (what_.spec.collective == Collective::AllGather) return {&out_, own};
    return {what_.spec.collective == Collective::ReduceScatter ? &in_ : &out_, 0};
  }

  const void* in() {
    if (!what_.in_place) return in_.data();
    const Place place = whole();
    return place.buffer->data() + place.offset;
  }
  void* out() {
    if (!what_.in_place || what_.spec.collective != Collective::ReduceScatter) return out_.data();
    return in_.data() + static_cast<std::size_t>(rank_) * what_.out_bytes();
  }

  void check() {
    if (!in_.intact()) fail("something was written beside the input buffer");
    if (!out_.intact()) fail("something was written beside the output buffer");
    const auto& input = expected_.input(rank_);
    if (!what_.in_place && !std::equal(input.begin(), input.end(), in_.bytes().begin())) {
      fail("the input was changed");
    }
    const std::string problem = expected_.problem(rank_, result());
    if (!problem.empty()) fail(problem);
  }

  [[noreturn]] void fail(std::string_view why) const {
    throw std::runtime_error(fmt::format("rank {}, {}: {}", rank_, what_.text(), why));
  }

  const CollectiveCase& what_;
  const ExpectedResult& expected_;
  int rank_;
  GuardedBuffer in_;
  GuardedBuffer out_;
};

}  // namespace

std::vector<CollectiveCase> catalog_cases(int ranks, const Coverage& coverage) {
  return catalog_cases(topology::Fabric::make(topology::FabricClass::Switch, ranks), coverage);
}

std::vector<CollectiveCase> catalog_cases(const topology::Fabric& fabric,
                                          const Coverage& coverage) {
  const int ranks = fabric.ranks();
  std::vector<CollectiveCase> cases;
  Variation variation(coverage.seed);
  for (const schedule::CatalogEntry& entry : schedule::catalog()) {
    if (entry.collective == Collective::Barrier) continue;
    for (const int root : roots(entry.collective, ranks)) {
      const auto offered = schedule::offer(entry, fabric, root);
      if (!offered) continue;
      for (int round = 0; round < coverage.rounds; ++round) {
        for (int type = 0; type < data_type_count; ++type) {
          for (int op = 0; op < operators(entry.collective); ++op) {
            CollectiveCase what;
            what.spec = {entry.collective,
                         0,
                         static_cast<DataType>(type),
                         static_cast<ReduceOp::Kind>(op),
                         root,
                         std::string(entry.name)};
            what.ranks = ranks;
            what.numerics = offered->facts().numerics;
            variation.apply(what, coverage.segment_bytes);
            cases.push_back(what);
          }
        }
      }
    }
  }
  return cases;
}

Bytes run_case(Communicator& communicator, const CollectiveCase& what,
               const ExpectedResult& expected) {
  CaseRun run(what, expected, communicator.rank());
  run.run(communicator);
  const auto result = run.result();
  return {result.begin(), result.end()};
}

void run_cases(const Config& config, int ranks, const std::vector<CollectiveCase>& cases) {
  std::vector<ExpectedResult> expected;
  for (const CollectiveCase& what : cases) expected.emplace_back(what);
  std::vector<std::vector<Bytes>> results(cases.size(),
                                          std::vector<Bytes>(static_cast<std::size_t>(ranks)));
  with_communicators(ranks, config, [&](Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      results[i][rank] = run_case(communicator, cases[i], expected[i]);
    }
  });
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].spec.collective == Collective::ReduceScatter) continue;
    for (std::size_t rank = 1; rank < results[i].size(); ++rank) {
      if (results[i][rank] == results[i][0]) continue;
      throw std::runtime_error(
          fmt::format("ranks 0 and {} have different bits: {}", rank, cases[i].text()));
    }
  }
}

}  // namespace roce::tests

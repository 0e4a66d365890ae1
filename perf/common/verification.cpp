// SPDX-License-Identifier: Apache-2.0
#include "perf/common/verification.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "perf/common/check.hpp"
#include "perf/common/expectation.hpp"
#include "perf/common/timing.hpp"

namespace roce::perf {

Verification::Verification(Communicator& communicator, const CollectiveSpec& spec,
                           const Shape& shape, Placement placement)
    : rank_(communicator.rank()),
      ranks_(communicator.size()),
      spec_(spec),
      shape_(shape),
      placement_(placement),
      pattern_{spec.type, spec.op.kind(), communicator.size(), 0} {}

bool Verification::reads_input() const noexcept {
  return spec_.collective != Collective::Broadcast || rank_ == spec_.root;
}

void Verification::prepare(std::uint64_t seed) {
  pattern_.seed = seed;
  // All ones: a NaN of every float format, and no integer that a reduction is likely to give.
  constexpr int spoiled = 0xff;
  std::memset(placement_.out, spoiled, shape_.receive_bytes);
  if (!reads_input()) return;
  const std::size_t elements = std::min(pattern_period, shape_.send_bytes / size_of(spec_.type));
  fill_periodic(input_table(pattern_, rank_, elements), placement_.in, shape_.send_bytes);
}

std::size_t Verification::count_wrong(Numerics numerics) const {
  const std::size_t count = spec_.count;
  const std::size_t elements = std::min(pattern_period, shape_.send_bytes / size_of(spec_.type));
  switch (spec_.collective) {
    case Collective::AllReduce:
      return perf::count_wrong(expect_reduction(pattern_, numerics, elements), 0, placement_.out,
                               count);
    case Collective::ReduceScatter:
      return perf::count_wrong(expect_reduction(pattern_, numerics, elements),
                               static_cast<std::size_t>(rank_) * count, placement_.out, count);
    case Collective::Broadcast:
      return perf::count_wrong(expect_input(pattern_, spec_.root, elements), 0, placement_.out,
                               count);
    case Collective::AllGather: {
      std::size_t wrong = 0;
      for (int from = 0; from < ranks_; ++from) {
        const std::byte* part = placement_.out + static_cast<std::size_t>(from) * shape_.send_bytes;
        wrong += perf::count_wrong(expect_input(pattern_, from, elements), 0, part, count);
      }
      return wrong;
    }
    case Collective::Barrier:
      break;
  }
  return 0;
}

std::size_t count_early_leavers(Communicator& communicator, Operation& barrier,
                                const std::vector<RankInfo>& ranks) {
  constexpr auto late = std::chrono::microseconds(200);
  std::size_t early = 0;
  for (int late_rank = 0; late_rank < communicator.size(); ++late_rank) {
    if (communicator.rank() == late_rank) std::this_thread::sleep_for(late);
    const double entered = now_us();
    barrier.once();
    const double left = now_us();
    const std::vector<double> all_entered = gather(communicator, entered);
    const std::vector<double> all_left = gather(communicator, left);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      bool is_early = false;
      for (std::size_t j = 0; j < ranks.size(); ++j) {
        // Clocks of different hosts do not compare.
        is_early = is_early || (ranks[i].host == ranks[j].host && all_left[i] < all_entered[j]);
      }
      early += is_early ? 1 : 0;
    }
  }
  return early;
}

}  // namespace roce::perf

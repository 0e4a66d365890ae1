// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "perf/common/operation.hpp"
#include "perf/common/pattern.hpp"
#include "perf/common/rank_info.hpp"
#include "perf/common/shape.hpp"
#include "roce/communicator.hpp"

namespace roce::perf {

/// One row's data: inputs, and how wrong the results are.
class Verification {
 public:
  Verification(Communicator& communicator, const CollectiveSpec& spec, const Shape& shape,
               Placement placement);

  /// Writes this rank's inputs of one seed and spoils the rest of the output.
  void prepare(std::uint64_t seed);
  /// Elements of this rank's output that are wrong after an operation on what prepare wrote.
  [[nodiscard]] std::size_t count_wrong(Numerics numerics) const;

 private:
  [[nodiscard]] bool reads_input() const noexcept;

  int rank_;
  int ranks_;
  CollectiveSpec spec_;
  Shape shape_;
  Placement placement_;
  Pattern pattern_;
};

/// Ranks that left a barrier before the last one of their host had entered it. Each rank is late
/// once. Collective; every rank gets the same answer.
[[nodiscard]] std::size_t count_early_leavers(Communicator& communicator, Operation& barrier,
                                              const std::vector<RankInfo>& ranks);

}  // namespace roce::perf

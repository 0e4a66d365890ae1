// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "roce/communicator.hpp"

namespace roce::tests {

using Bytes = std::vector<std::byte>;

/// One collective to be run by all ranks, with its inputs and what must come out.
struct CollectiveCase {
  CollectiveSpec spec;
  int ranks = 1;
  Numerics numerics = Numerics::RankOrdered;  ///< of the schedule that will run it
  bool in_place = false;
  std::size_t misalignment = 0;  ///< of the input; the output's is another one
  std::uint64_t seed = 0;

  [[nodiscard]] std::size_t element() const { return size_of(spec.type); }
  [[nodiscard]] std::size_t in_bytes() const;
  [[nodiscard]] std::size_t out_bytes() const;
  /// The operator as `rank` must give it: PremulSum has another factor on each.
  [[nodiscard]] ReduceOp op_of(int rank) const;
  [[nodiscard]] std::string text() const;
};

/// The inputs of a case by rank and its results, computed one element at a time without the
/// library's folds.
class ExpectedResult {
 public:
  explicit ExpectedResult(const CollectiveCase& what);

  [[nodiscard]] const Bytes& input(int rank) const {
    return inputs_[static_cast<std::size_t>(rank)];
  }
  /// What is wrong with a rank's output, or nothing. RankOrdered results, integers and plain copies
  /// must be right bit for bit; others within the error bound of their type.
  [[nodiscard]] std::string problem(int rank, std::span<const std::byte> output) const;

 private:
  void fold_in_rank_order();
  [[nodiscard]] std::string outside_bound(std::size_t first_element,
                                          std::span<const std::byte> output) const;

  CollectiveCase what_;
  std::vector<Bytes> inputs_;
  Bytes exact_;                     ///< of the whole vector, or empty when only a bound holds
  std::vector<Bytes> contributed_;  ///< the inputs as they enter the sum: multiplied for PremulSum
};

}  // namespace roce::tests

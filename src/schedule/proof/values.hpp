// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace roce::schedule::proof {

/// The name of a value. Equal names are equal bits, whatever the inputs are.
using ValueId = int;
inline constexpr ValueId undefined_value = -1;

/// Interned expressions over the ranks' inputs. An inner expression is a left fold that rounds
/// once, so nested ones tell how often and where a value was rounded. The first two operands of a
/// fold commute.
class Values {
 public:
  explicit Values(int ranks);

  /// The input of a rank.
  [[nodiscard]] ValueId leaf(int rank) const noexcept { return rank; }
  /// The fold of two or more values in this order, rounded once; of one value, that value.
  [[nodiscard]] ValueId fold(std::span<const ValueId> operands);

  /// True when the value holds the input of every rank exactly once.
  [[nodiscard]] bool complete(ValueId value) const;
  /// True for the left fold over ranks 0..n-1 with one rounding.
  [[nodiscard]] bool rank_ordered(ValueId value) const;
  /// "0", "(0 + 1 + 2)", "((0 + 2) + (1 + 3))"; each pair of parentheses is a rounding.
  [[nodiscard]] std::string text(ValueId value) const;

 private:
  struct Expression {
    std::vector<ValueId> operands;     ///< empty for a leaf
    std::vector<std::uint32_t> times;  ///< by rank: how often its input is in the value
  };
  std::vector<Expression> expressions_;  ///< the leaves come first
  std::map<std::vector<ValueId>, ValueId> folds_;
  int ranks_;
};

}  // namespace roce::schedule::proof

// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/proof/values.hpp"

#include <algorithm>
#include <numeric>

namespace roce::schedule::proof {

Values::Values(int ranks) : ranks_(ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    Expression expression;
    expression.times.assign(static_cast<std::size_t>(ranks), 0);
    expression.times[static_cast<std::size_t>(rank)] = 1;
    expressions_.push_back(std::move(expression));
  }
}

ValueId Values::fold(std::span<const ValueId> operands) {
  if (operands.size() == 1) return operands[0];
  std::vector<ValueId> key(operands.begin(), operands.end());
  if (key[1] < key[0]) std::swap(key[0], key[1]);
  const auto [known, is_new] = folds_.try_emplace(key, static_cast<ValueId>(expressions_.size()));
  if (!is_new) return known->second;
  Expression expression{std::move(key), std::vector<std::uint32_t>(ranks_, 0)};
  for (const ValueId operand : operands) {
    const auto& times = expressions_[static_cast<std::size_t>(operand)].times;
    // Saturates: more than twice is as wrong as twice.
    std::transform(times.begin(), times.end(), expression.times.begin(), expression.times.begin(),
                   [](std::uint32_t a, std::uint32_t b) { return std::min(a + b, 2U); });
  }
  expressions_.push_back(std::move(expression));
  return known->second;
}

bool Values::complete(ValueId value) const {
  const auto& times = expressions_[static_cast<std::size_t>(value)].times;
  return std::all_of(times.begin(), times.end(), [](std::uint32_t count) { return count == 1; });
}

bool Values::rank_ordered(ValueId value) const {
  if (ranks_ == 1) return value == 0;
  std::vector<ValueId> wanted(static_cast<std::size_t>(ranks_));
  std::iota(wanted.begin(), wanted.end(), 0);
  return expressions_[static_cast<std::size_t>(value)].operands == wanted;
}

std::string Values::text(ValueId value) const {
  if (value == undefined_value) return "undefined";
  if (value < ranks_) return std::to_string(value);
  std::string text = "(";
  for (const ValueId operand : expressions_[static_cast<std::size_t>(value)].operands) {
    if (text.size() > 1) text += " + ";
    text += this->text(operand);
  }
  return text + ")";
}

}  // namespace roce::schedule::proof

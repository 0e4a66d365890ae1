// SPDX-License-Identifier: Apache-2.0
#include "src/transport/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace roce::transport {
namespace {

constexpr std::size_t most_shown = 4;

/// "rank 3", "ranks 0 and 2", "ranks 0, 1 and 4".
std::string rank_list(const std::vector<std::size_t>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
  return fmt::format("ranks {} and {}", fmt::join(ranks.begin(), ranks.end() - 1, ", "),
                     ranks.back());
}

}  // namespace

std::string reasons_by_rank(std::span<const std::string> reasons) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;
  for (std::size_t rank = 0; rank < reasons.size(); ++rank) {
    if (reasons[rank].empty()) continue;
    auto group = std::ranges::find(groups, reasons[rank],
                                   [](const auto& entry) -> const auto& { return entry.first; });
    if (group == groups.end()) group = groups.insert(group, {reasons[rank], {}});
    group->second.push_back(rank);
  }
  std::string text;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto& [reason, ranks] = groups[i];
    if (i < most_shown) {
      text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", rank_list(ranks), reason);
    } else {
      left_out += ranks.size();
    }
  }
  if (left_out > 0) text += fmt::format("; and {} more ranks", left_out);
  return text;
}

void require_no_errors(std::span<const Outcome> outcomes) {
  const auto first =
      std::ranges::find_if(outcomes, [](const Outcome& outcome) { return !outcome.error.empty(); });
  if (first == outcomes.end()) return;
  std::vector<std::string> reasons;
  for (const Outcome& outcome : outcomes) reasons.push_back(outcome.error);
  throw Error(first->code, reasons_by_rank(reasons));
}

}  // namespace roce::transport

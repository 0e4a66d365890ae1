// SPDX-License-Identifier: Apache-2.0
#include "perf/common/gather.hpp"

#include <algorithm>

namespace roce::perf {

std::vector<double> gather(Communicator& communicator, std::span<const double> mine) {
  std::vector<double> all(mine.size() * static_cast<std::size_t>(communicator.size()));
  require(communicator.all_gather(mine.data(), all.data(), mine.size(), DataType::Float64));
  return all;
}

std::vector<std::string> gather_text(Communicator& communicator, const std::string& mine) {
  const auto lengths = gather(communicator, static_cast<double>(mine.size()));
  const auto longest = static_cast<std::size_t>(*std::max_element(lengths.begin(), lengths.end()));
  std::string padded = mine;
  padded.resize(longest);
  std::string all(longest * lengths.size(), '\0');
  require(communicator.all_gather(padded.data(), all.data(), longest, DataType::Uint8));
  std::vector<std::string> texts;
  texts.reserve(lengths.size());
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    texts.push_back(all.substr(rank * longest, static_cast<std::size_t>(lengths[rank])));
  }
  return texts;
}

std::vector<double> slowest(Communicator& communicator, std::span<const double> mine) {
  // In blocks, so that many iterations of many ranks need little memory.
  constexpr std::size_t block = 8192;
  std::vector<double> result(mine.size());
  for (std::size_t first = 0; first < mine.size(); first += block) {
    const std::size_t length = std::min(block, mine.size() - first);
    const auto all = gather(communicator, mine.subspan(first, length));
    for (std::size_t i = 0; i < all.size(); ++i) {
      double& largest = result[first + i % length];
      largest = std::max(largest, all[i]);
    }
  }
  return result;
}

}  // namespace roce::perf

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "perf/common/options.hpp"
#include "roce/communicator.hpp"

namespace roce::perf {

/// What one rank tells the others about itself.
struct RankInfo {
  std::string host;
  int pid = 0;
  std::string processor;
  std::size_t pinned_bytes = 0;
  std::size_t available_bytes = 0;  ///< memory, before the buffers are made
  std::string available_source;
};

/// All ranks' information, by rank. Collective. Throws.
[[nodiscard]] std::vector<RankInfo> exchange_rank_info(Communicator& communicator);

/// Throws AgreedError (Resource) when the buffers of the largest size do not
/// fit the memory of a host: with the bytes needed and available, and the largest size that fits.
void require_memory(const Options& options, const std::vector<RankInfo>& ranks);

/// Bytes of a rank's two buffers.
[[nodiscard]] std::size_t buffer_bytes_each(const Options& options);

}  // namespace roce::perf

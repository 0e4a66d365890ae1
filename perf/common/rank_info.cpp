// SPDX-License-Identifier: Apache-2.0
#include "perf/common/rank_info.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "perf/common/agreed_error.hpp"
#include "perf/common/gather.hpp"
#include "perf/common/machine.hpp"
#include "perf/common/memory.hpp"
#include "perf/common/size.hpp"

namespace roce::perf {
namespace {

struct HostMemory {
  std::size_t ranks = 0;
  std::size_t available = SIZE_MAX;
  std::string source;
};

std::map<std::string, HostMemory> by_host(const std::vector<RankInfo>& ranks) {
  std::map<std::string, HostMemory> hosts;
  for (const RankInfo& rank : ranks) {
    HostMemory& host = hosts[rank.host];
    ++host.ranks;
    if (rank.available_bytes <= host.available) {
      host.available = rank.available_bytes;
      host.source = rank.available_source;
    }
  }
  return hosts;
}

}  // namespace

std::size_t buffer_bytes_each(const Options& options) {
  if (options.collective == Collective::Barrier) return 0;
  constexpr std::size_t widest_element = 8;
  return options.max_bytes + static_cast<std::size_t>(options.unalign) * widest_element;
}

std::vector<RankInfo> exchange_rank_info(Communicator& communicator) {
  const Machine machine = this_machine();
  const AvailableMemory memory = available_memory();
  const nlohmann::json mine{
      {"host", machine.host},           {"pid", ::getpid()},
      {"processor", machine.processor}, {"pinned", communicator.pinned_bytes()},
      {"available", memory.bytes},      {"source", memory.source}};
  std::vector<RankInfo> ranks;
  for (const std::string& text : gather_text(communicator, mine.dump())) {
    const auto rank = nlohmann::json::parse(text);
    ranks.push_back({.host = rank.at("host"),
                     .pid = rank.at("pid"),
                     .processor = rank.at("processor"),
                     .pinned_bytes = rank.at("pinned"),
                     .available_bytes = rank.at("available"),
                     .available_source = rank.at("source")});
  }
  return ranks;
}

void require_memory(const Options& options, const std::vector<RankInfo>& ranks) {
  for (const auto& [name, host] : by_host(ranks)) {
    const std::size_t each = buffer_bytes_each(options);
    const std::size_t fits = host.available / (2 * host.ranks);
    if (each <= fits) continue;
    const long double needed = 2.0L * static_cast<long double>(each) * host.ranks;
    throw AgreedError(
        ErrorCode::Resource,
        fmt::format(
            "-e {} does not fit the memory of {}: needed {:.0f} B (2 buffers of {} for each "
            "of {} ranks), available {} B ({}, by {}); the largest size that fits is {} B",
            format_size(options.max_bytes), name, static_cast<double>(needed), format_size(each),
            host.ranks, host.available, format_size(host.available), host.source, fits));
  }
}

}  // namespace roce::perf

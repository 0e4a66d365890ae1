// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/catalog.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <mutex>
#include <string>

#include "roce/status.hpp"
#include "src/schedule/generators/generators.hpp"

namespace roce::schedule {
namespace {

using namespace generators;  // NOLINT(google-build-using-namespace): a table of their names

constexpr std::array entries{
    CatalogEntry{Collective::AllReduce, "one_shot",
                 "everyone sends its input to everyone, everyone folds all", all_reduce_one_shot},
    CatalogEntry{Collective::AllReduce, "two_shot", "direct reduce-scatter, then direct all-gather",
                 all_reduce_two_shot},
    CatalogEntry{Collective::AllReduce, "recursive_doubling",
                 "partners at doubling distances swap sums", all_reduce_recursive_doubling},
    CatalogEntry{Collective::AllReduce, "bidirectional_ring",
                 "ring reduce-scatter and all-gather, half each way round",
                 all_reduce_bidirectional_ring},
    CatalogEntry{Collective::AllReduce, "bidirectional_relay",
                 "inputs travel both ways along the ring or line, everyone folds all",
                 all_reduce_bidirectional_relay},
    CatalogEntry{Collective::AllGather, "one_shot", "everyone sends its block to everyone",
                 all_gather_one_shot},
    CatalogEntry{Collective::AllGather, "recursive_doubling",
                 "partners at doubling distances swap what they have; powers of two",
                 all_gather_recursive_doubling},
    CatalogEntry{Collective::AllGather, "bruck",
                 "blocks go to ranks at doubling distances; no powers of two", all_gather_bruck},
    CatalogEntry{Collective::AllGather, "bidirectional_ring",
                 "blocks travel round the ring, half each way", all_gather_bidirectional_ring},
    CatalogEntry{Collective::AllGather, "bidirectional_relay",
                 "blocks travel both ways along the ring or line", all_gather_bidirectional_relay},
    CatalogEntry{Collective::ReduceScatter, "direct",
                 "everyone sends each block to the rank whose it is", reduce_scatter_direct},
    CatalogEntry{Collective::ReduceScatter, "bidirectional_ring",
                 "partial sums travel round the ring, half each way",
                 reduce_scatter_bidirectional_ring},
    CatalogEntry{Collective::ReduceScatter, "bidirectional_relay",
                 "inputs travel both ways along the ring or line, everyone folds its block",
                 reduce_scatter_bidirectional_relay},
    CatalogEntry{Collective::Broadcast, "flat", "the root puts to everyone", broadcast_flat},
    CatalogEntry{Collective::Broadcast, "chain", "from the root both ways along the ring or line",
                 broadcast_chain},
    CatalogEntry{Collective::Broadcast, "binomial", "down a binomial tree", broadcast_binomial},
    CatalogEntry{Collective::Barrier, "dissemination", "signals to ranks at doubling distances",
                 barrier_dissemination},
    CatalogEntry{Collective::Barrier, "bidirectional_relay",
                 "signals travel both ways along the ring or line", barrier_bidirectional_relay},
};

/// All that a schedule can depend on.
std::string cache_key(const CatalogEntry& entry, const topology::Fabric& fabric, int root) {
  std::string key =
      fmt::format("{}/{} root {} {} order {} links ", to_string(entry.collective), entry.name, root,
                  topology::to_string(fabric.fabric_class()), fmt::join(fabric.order(), ","));
  for (int a = 0; a < fabric.ranks(); ++a) {
    for (int b = 0; b < fabric.ranks(); ++b) key.push_back(fabric.linked(a, b) ? '1' : '0');
  }
  return key;
}

std::optional<VerifiedSchedule> make_offer(const CatalogEntry& entry,
                                           const topology::Fabric& fabric, int root) {
  std::optional<Schedule> schedule = entry.make(fabric, root);
  if (!schedule || check(*schedule, fabric, 1).fault == Fault::OffFabric) return std::nullopt;
  return verify(std::move(*schedule), fabric);
}

}  // namespace

std::span<const CatalogEntry> catalog() noexcept { return entries; }

const CatalogEntry& find(Collective collective, std::string_view name) {
  std::string valid;
  for (const CatalogEntry& entry : entries) {
    if (entry.collective != collective) continue;
    if (entry.name == name) return entry;
    valid += fmt::format("{}{}", valid.empty() ? "" : ", ", entry.name);
  }
  throw Error(ErrorCode::InvalidArgument, fmt::format("'{}' is no {} schedule; use one of {}", name,
                                                      to_string(collective), valid));
}

std::optional<VerifiedSchedule> offer(const CatalogEntry& entry, const topology::Fabric& fabric,
                                      int root) {
  if (root < 0 || root >= fabric.ranks()) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("root {} is not among ranks 0 to {}", root, fabric.ranks() - 1));
  }
  static std::mutex mutex;
  static std::map<std::string, std::optional<VerifiedSchedule>> offers;
  const std::string key = cache_key(entry, fabric, root);
  {
    const std::lock_guard lock(mutex);
    if (const auto known = offers.find(key); known != offers.end()) return known->second;
  }
  std::optional<VerifiedSchedule> made = make_offer(entry, fabric, root);
  const std::lock_guard lock(mutex);
  return offers.try_emplace(key, std::move(made)).first->second;
}

}  // namespace roce::schedule

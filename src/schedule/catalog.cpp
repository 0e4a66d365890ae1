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
                 "everyone sends its input to everyone, everyone folds", all_reduce_one_shot},
    CatalogEntry{Collective::AllGather, "one_shot", "everyone sends its block to everyone",
                 all_gather_one_shot},
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

bool has_links(const Schedule& schedule, const topology::Fabric& fabric) {
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    for (const Operation& operation : schedule.programs[static_cast<std::size_t>(rank)]) {
      if (operation.peer >= 0 && !fabric.linked(rank, operation.peer)) return false;
    }
  }
  return true;
}

std::optional<VerifiedSchedule> make_offer(const CatalogEntry& entry,
                                           const topology::Fabric& fabric, int root) {
  std::optional<Schedule> schedule = entry.make(fabric, root);
  if (!schedule || !has_links(*schedule, fabric)) return std::nullopt;
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

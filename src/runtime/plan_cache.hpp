// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>

#include "roce/communicator.hpp"

namespace roce::runtime {

/// The plans of blocking calls, the least recently used going first when there are too many.
class PlanCache {
 public:
  PlanCache();
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  /// Null when there is no such plan yet.
  [[nodiscard]] Plan::Impl* find(const CollectiveSpec& spec) noexcept;
  /// Takes the plan and returns it.
  Plan::Impl* insert(std::unique_ptr<Plan::Impl> plan);

 private:
  struct Hash {
    std::size_t operator()(const CollectiveSpec& spec) const noexcept;
  };
  using Order = std::list<std::unique_ptr<Plan::Impl>>;
  Order order_;  ///< most recently used first
  std::unordered_map<CollectiveSpec, Order::iterator, Hash> index_;
};

}  // namespace roce::runtime

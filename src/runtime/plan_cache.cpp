// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/plan_cache.hpp"

#include <functional>
#include <string>
#include <utility>

#include "src/runtime/plan_impl.hpp"

namespace roce::runtime {
namespace {

constexpr std::size_t capacity = 512;

void mix(std::size_t& seed, std::size_t value) noexcept {
  seed = (seed ^ value) * 0x9E3779B97F4A7C15U;
  seed ^= seed >> 29U;
}

}  // namespace

PlanCache::PlanCache() = default;
PlanCache::~PlanCache() = default;

std::size_t PlanCache::Hash::operator()(const CollectiveSpec& spec) const noexcept {
  std::size_t seed = spec.count;
  mix(seed, static_cast<std::size_t>(spec.collective) << 24U |
                static_cast<std::size_t>(spec.type) << 16U |
                static_cast<std::size_t>(spec.op.kind()) << 8U |
                static_cast<std::size_t>(spec.root));
  mix(seed, spec.op.factor_bits());
  if (!spec.schedule.empty()) mix(seed, std::hash<std::string>()(spec.schedule));
  return seed;
}

Plan::Impl* PlanCache::find(const CollectiveSpec& spec) noexcept {
  if (!order_.empty() && order_.front()->spec() == spec) return order_.front().get();
  const auto found = index_.find(spec);
  if (found == index_.end()) return nullptr;
  order_.splice(order_.begin(), order_, found->second);
  return order_.front().get();
}

Plan::Impl* PlanCache::insert(std::unique_ptr<Plan::Impl> plan) {
  if (order_.size() == capacity) {
    index_.erase(order_.back()->spec());
    order_.pop_back();
  }
  order_.push_front(std::move(plan));
  index_.insert_or_assign(order_.front()->spec(), order_.begin());
  return order_.front().get();
}

}  // namespace roce::runtime

// SPDX-License-Identifier: Apache-2.0
// Loads and stores of a vector of elements at any address.
#if defined(ROCE_REDUCE_MEMORY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ROCE_REDUCE_MEMORY_INL
#undef ROCE_REDUCE_MEMORY_INL
#else
#define ROCE_REDUCE_MEMORY_INL
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace roce::reduce::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The Lanes(d) elements at `address`; reads no other byte. Needs no alignment, not even that of
/// the element.
template <class D>
HWY_INLINE hn::Vec<D> load_at(D d, const std::byte* address) {
  using T = hn::TFromD<D>;
#if HWY_TARGET == HWY_SCALAR
  T element;
  std::memcpy(&element, address, sizeof element);
  return hn::Set(d, element);
#else
  return hn::LoadU(d, reinterpret_cast<const T*>(address));
#endif
}

/// The inverse of load_at; writes no other byte.
template <class D>
HWY_INLINE void store_at(hn::Vec<D> v, D d, std::byte* address) {
  using T = hn::TFromD<D>;
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  const T element = hn::GetLane(v);
  std::memcpy(address, &element, sizeof element);
#else
  hn::StoreU(v, d, reinterpret_cast<T*>(address));
#endif
}

}  // namespace roce::reduce::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

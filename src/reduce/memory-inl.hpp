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

/// Whether Highway may access such a short vector as one element, which must then be aligned. On
/// HWY_SCALAR it always does.
template <class D>
constexpr bool is_short_vector() {
  return !HWY_HAVE_SCALABLE && hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) < 16;
}

/// The unsigned integer of a short vector's size: it goes through a register, not through memory.
template <class D>
using ShortBits = hwy::UnsignedFromSize<hn::MaxLanes(D()) * sizeof(hn::TFromD<D>)>;

/// The Lanes(d) elements at `address`; reads no other byte. Needs no alignment, not even that of
/// the element.
template <class D>
HWY_INLINE hn::Vec<D> load_at(D d, const std::byte* address) {
  using T = hn::TFromD<D>;
  if constexpr (is_short_vector<D>()) {
    ShortBits<D> bits;
    std::memcpy(&bits, address, sizeof bits);
    return hn::BitCast(d, hn::Set(hn::CappedTag<ShortBits<D>, 1>(), bits));
  } else {
    return hn::LoadU(d, reinterpret_cast<const T*>(address));
  }
}

/// The inverse of load_at; writes no other byte.
template <class D>
HWY_INLINE void store_at(hn::Vec<D> v, D d, std::byte* address) {
  using T = hn::TFromD<D>;
  if constexpr (is_short_vector<D>()) {
    const auto bits = hn::GetLane(hn::BitCast(hn::CappedTag<ShortBits<D>, 1>(), v));
    std::memcpy(address, &bits, sizeof bits);
  } else {
    hn::StoreU(v, d, reinterpret_cast<T*>(address));
  }
}

}  // namespace roce::reduce::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

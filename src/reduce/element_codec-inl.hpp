// SPDX-License-Identifier: Apache-2.0
// How elements become accumulator lanes and back. A codec has:
//   Lane               the type that is accumulated
//   element_bytes      the size of an element in memory
//   load(d, address)   Lanes(d) elements as lanes
//   store(v, d, address)  rounds the lanes and writes the elements
//   round(d, v)        the lanes as they read back after a store
//   load_four, store_four  the same for four vectors, which hold the next 4 * Lanes(d) elements in
//                      whatever order is cheapest
//   factor(bits)       ReduceOp::factor_bits as a lane
// This file has the types that are accumulated as they are, and 8-bit integers for
// multiplication.
#if defined(ROCE_REDUCE_ELEMENT_CODEC_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ROCE_REDUCE_ELEMENT_CODEC_INL
#undef ROCE_REDUCE_ELEMENT_CODEC_INL
#else
#define ROCE_REDUCE_ELEMENT_CODEC_INL
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "hwy/highway.h"
#include "src/reduce/memory-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace roce::reduce::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The factor's bytes, which ReduceOp::premul_sum copied to the front of `bits`.
template <typename T>
HWY_INLINE T factor_as(std::uint64_t bits) {
  T factor;
  std::memcpy(&factor, &bits, sizeof factor);
  return factor;
}

/// NaNs become the one positive quiet NaN: which operand's payload an addition keeps, and the sign
/// of inf - inf, differ between processors.
template <class D>
HWY_INLINE hn::Vec<D> canonical(D d, hn::Vec<D> v) {
  return hn::IfThenElse(hn::IsNaN(v), hn::Set(d, std::numeric_limits<hn::TFromD<D>>::quiet_NaN()),
                        v);
}

/// load_four and store_four of a codec for which nothing is cheaper than four loads and stores.
template <class Codec>
struct SeparateVectors {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE void load_four(D d, const std::byte* address, V& v0, V& v1, V& v2, V& v3) {
    const std::size_t step = hn::Lanes(d) * Codec::element_bytes;
    v0 = Codec::load(d, address);
    v1 = Codec::load(d, address + step);
    v2 = Codec::load(d, address + 2 * step);
    v3 = Codec::load(d, address + 3 * step);
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE void store_four(V v0, V v1, V v2, V v3, D d, std::byte* address) {
    const std::size_t step = hn::Lanes(d) * Codec::element_bytes;
    Codec::store(v0, d, address);
    Codec::store(v1, d, address + step);
    Codec::store(v2, d, address + 2 * step);
    Codec::store(v3, d, address + 3 * step);
  }
};

/// Integers, in two's complement.
template <typename T>
struct IntegerCodec : SeparateVectors<IntegerCodec<T>> {
  using Lane = T;
  static constexpr std::size_t element_bytes = sizeof(T);

  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const std::byte* address) {
    return load_at(d, address);
  }
  template <class D>
  static HWY_INLINE void store(hn::Vec<D> v, D d, std::byte* address) {
    store_at(v, d, address);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> round(D, hn::Vec<D> v) {
    return v;
  }
  static HWY_INLINE Lane factor(std::uint64_t bits) { return factor_as<T>(bits); }
};

/// 8-bit integers in 32-bit lanes, of which the low byte counts: there is no 8-bit multiplication.
/// For Sum and Prod only, whose low byte does not depend on the others.
struct WideByteCodec : SeparateVectors<WideByteCodec> {
  using Lane = std::uint32_t;
  static constexpr std::size_t element_bytes = 1;

  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const std::byte* address) {
    return hn::PromoteTo(d, load_at(hn::Rebind<std::uint8_t, D>(), address));
  }
  template <class D>
  static HWY_INLINE void store(hn::Vec<D> v, D d, std::byte* address) {
    const hn::Rebind<std::uint8_t, D> bytes;
    const hn::RebindToSigned<D> di;
    const auto low = hn::And(v, hn::Set(d, 0xFF));
    store_at(hn::DemoteTo(bytes, hn::BitCast(di, low)), bytes, address);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> round(D, hn::Vec<D> v) {
    return v;
  }
  static HWY_INLINE Lane factor(std::uint64_t bits) { return factor_as<std::uint8_t>(bits); }
};

/// float and double.
template <typename T>
struct NativeFloatCodec : SeparateVectors<NativeFloatCodec<T>> {
  using Lane = T;
  static constexpr std::size_t element_bytes = sizeof(T);

  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const std::byte* address) {
    return load_at(d, address);
  }
  template <class D>
  static HWY_INLINE void store(hn::Vec<D> v, D d, std::byte* address) {
    store_at(canonical(d, v), d, address);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> round(D, hn::Vec<D> v) {
    return v;
  }
  static HWY_INLINE Lane factor(std::uint64_t bits) { return factor_as<T>(bits); }
};

}  // namespace roce::reduce::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

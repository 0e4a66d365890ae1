// SPDX-License-Identifier: Apache-2.0
// Codecs (see element_codec-inl.hpp) of the 16- and 8-bit floats, which are accumulated in fp32.
#if defined(ROCE_REDUCE_SMALL_FLOAT_CODEC_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ROCE_REDUCE_SMALL_FLOAT_CODEC_INL
#undef ROCE_REDUCE_SMALL_FLOAT_CODEC_INL
#else
#define ROCE_REDUCE_SMALL_FLOAT_CODEC_INL
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "src/reduce/element_codec-inl.hpp"
#include "src/reduce/float_format.hpp"
#include "src/reduce/memory-inl.hpp"

// Highway's other targets convert fp16 in software that truncates and knows no infinity.
#undef ROCE_REDUCE_HAS_FLOAT16
#if (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL)
#ifdef HWY_DISABLE_F16C
#define ROCE_REDUCE_HAS_FLOAT16 0
#else
#define ROCE_REDUCE_HAS_FLOAT16 1
#endif
#elif HWY_ARCH_ARM_A64 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
#define ROCE_REDUCE_HAS_FLOAT16 1
#else
#define ROCE_REDUCE_HAS_FLOAT16 0
#endif

HWY_BEFORE_NAMESPACE();
namespace roce::reduce::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Conversion by integer arithmetic. The float additions that normalise and round subnormals meet
/// no subnormal operand, so they hold where the processor flushes those to zero.
template <const FloatFormat& format>
struct SmallFloatCodec : SeparateVectors<SmallFloatCodec<format>> {
  using Lane = float;
  using Element = std::conditional_t<(format.bits() > 8), std::uint16_t, std::uint8_t>;
  static constexpr std::size_t element_bytes = sizeof(Element);

  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const std::byte* address) {
#if ROCE_REDUCE_HAS_FLOAT16
    if constexpr (format.bits() == 8) return load_through_float16(d, address);
#endif
    const hn::RebindToUnsigned<D> du;
    return widen(d, hn::PromoteTo(du, load_at(hn::Rebind<Element, D>(), address)));
  }
  template <class D>
  static HWY_INLINE void store(hn::Vec<D> v, D d, std::byte* address) {
    const hn::Rebind<Element, D> elements;
    store_at(hn::DemoteTo(elements, narrow(d, v)), elements, address);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> round(D d, hn::Vec<D> v) {
    const hn::RebindToUnsigned<D> du;
    return widen(d, hn::BitCast(du, narrow(d, v)));
  }
  static HWY_INLINE Lane factor(std::uint64_t bits) { return factor_as<float>(bits); }

 private:
  static constexpr int shift = 23 - format.mantissa_bits;
  static constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - format.bias()) << 23;
  static constexpr std::uint32_t least_normal = rebias + (1U << 23);  ///< as fp32

#if ROCE_REDUCE_HAS_FLOAT16
  /// An 8-bit float is the front of an fp16, but for the bias and the NaN of a format without
  /// infinity. The processor's conversion normalises subnormals whatever it flushes elsewhere.
  template <class D>
  static HWY_INLINE hn::Vec<D> load_through_float16(D d, const std::byte* address) {
    const hn::Rebind<std::uint16_t, D> du16;
    const hn::Rebind<hwy::float16_t, D> half;
    const auto element = hn::PromoteTo(du16, load_at(hn::Rebind<Element, D>(), address));
    if constexpr (format.exponent_bits == float16_format.exponent_bits) {
      return hn::PromoteTo(d, hn::BitCast(half, hn::ShiftLeft<8>(element)));
    } else {
      constexpr int unused = float16_format.mantissa_bits - format.mantissa_bits;
      constexpr auto nan = static_cast<std::uint16_t>(format.nan << unused);
      const auto sign = hn::And(hn::ShiftLeft<8>(element), hn::Set(du16, 0x8000));
      const auto magnitude = hn::And(hn::ShiftLeft<unused>(element), hn::Set(du16, nan));
      const auto is_nan = hn::Eq(magnitude, hn::Set(du16, nan));
      const auto number = hn::IfThenElse(is_nan, hn::Set(du16, 0x7E00), magnitude);
      const auto scaled = hn::PromoteTo(d, hn::BitCast(half, hn::Or(number, sign)));
      constexpr auto scale = static_cast<float>(1 << (float16_format.bias() - format.bias()));
      return hn::Mul(scaled, hn::Set(d, scale));
    }
  }
#endif
  template <class D>
  static hn::Vec<D> widen(D d, hn::Vec<hn::RebindToUnsigned<D>> element) {
    const hn::RebindToUnsigned<D> du;
    const hn::RebindToSigned<D> di;
    const auto sign =
        hn::ShiftLeft<32 - format.bits()>(hn::And(element, hn::Set(du, format.sign())));
    const auto magnitude = hn::And(element, hn::Set(du, format.sign() - 1));
    const auto shifted = hn::ShiftLeft<shift>(magnitude);
    const auto normal = hn::Add(shifted, hn::Set(du, rebias));
    const auto offset = hn::Set(du, least_normal);
    const auto subnormal =
        hn::BitCast(du, hn::Sub(hn::BitCast(d, hn::Add(shifted, offset)), hn::BitCast(d, offset)));
    const auto non_finite = hn::Or(shifted, hn::Set(du, 0x7F800000U));

    const auto compared = hn::BitCast(di, magnitude);
    const auto is_subnormal = hn::Lt(compared, hn::Set(di, 1 << format.mantissa_bits));
    const auto is_non_finite =
        hn::Gt(compared, hn::Set(di, static_cast<std::int32_t>(format.non_finite - 1)));
    auto bits = hn::IfThenElse(hn::RebindMask(du, is_subnormal), subnormal, normal);
    bits = hn::IfThenElse(hn::RebindMask(du, is_non_finite), non_finite, bits);
    return hn::BitCast(d, hn::Or(bits, sign));
  }

  template <class D>
  static hn::Vec<hn::RebindToSigned<D>> narrow(D d, hn::Vec<D> v) {
    const hn::RebindToUnsigned<D> du;
    const hn::RebindToSigned<D> di;
    const auto bits = hn::BitCast(du, v);
    const auto magnitude = hn::And(bits, hn::Set(du, 0x7FFFFFFFU));
    const auto sign = hn::BitCast(
        di, hn::And(hn::ShiftRight<32 - format.bits()>(bits), hn::Set(du, format.sign())));

    const auto rebased = hn::Sub(magnitude, hn::Set(du, rebias));
    const auto odd = hn::And(hn::ShiftRight<shift>(rebased), hn::Set(du, 1));
    const auto half = hn::Set(du, (1U << (shift - 1)) - 1);
    const auto normal =
        hn::BitCast(di, hn::ShiftRight<shift>(hn::Add(rebased, hn::Add(half, odd))));
    // One unit of `anchor` is the format's least subnormal, so the addition rounds to multiples of
    // it.
    const auto anchor = hn::Set(du, least_normal + (static_cast<std::uint32_t>(shift) << 23));
    const auto anchored = hn::Add(hn::BitCast(d, magnitude), hn::BitCast(d, anchor));
    const auto subnormal = hn::BitCast(di, hn::Sub(hn::BitCast(du, anchored), anchor));

    const auto compared = hn::BitCast(di, magnitude);
    const auto is_subnormal =
        hn::Lt(compared, hn::Set(di, static_cast<std::int32_t>(least_normal)));
    const auto is_nan = hn::Gt(compared, hn::Set(di, 0x7F800000));
    const auto limit = hn::Set(di, static_cast<std::int32_t>(format.largest));
    const auto rounded = hn::Min(hn::IfThenElse(is_subnormal, subnormal, normal), limit);
    const auto nan = hn::Set(di, static_cast<std::int32_t>(format.nan));
    return hn::IfThenElse(is_nan, nan, hn::Or(rounded, sign));
  }
};

using Float8E4M3Codec = SmallFloatCodec<float8_e4m3_format>;
using Float8E5M2Codec = SmallFloatCodec<float8_e5m2_format>;

/// bfloat16 is the upper half of an fp32. Highway 1.0 truncates when it demotes; this rounds to
/// nearest even.
struct BFloat16Codec {
  using Lane = float;
  static constexpr std::size_t element_bytes = 2;

  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const std::byte* address) {
    const hn::RebindToUnsigned<D> du;
    const auto elements = load_at(hn::Rebind<std::uint16_t, D>(), address);
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, elements)));
  }
  template <class D>
  static HWY_INLINE void store(hn::Vec<D> v, D d, std::byte* address) {
    const hn::RebindToSigned<D> di;
    const hn::Rebind<std::uint16_t, D> elements;
    const auto upper = hn::BitCast(di, hn::ShiftRight<16>(rounded(d, v)));
    store_at(hn::DemoteTo(elements, upper), elements, address);
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE void load_four(D d, const std::byte* address, V& v0, V& v1, V& v2, V& v3) {
    load_two(d, address, v0, v1);
    load_two(d, address + hn::Lanes(d) * sizeof(Lane), v2, v3);
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE void store_four(V v0, V v1, V v2, V v3, D d, std::byte* address) {
    store_two(v0, v1, d, address);
    store_two(v2, v3, d, address + hn::Lanes(d) * sizeof(Lane));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> round(D d, hn::Vec<D> v) {
    const hn::RebindToUnsigned<D> du;
    return hn::BitCast(d, hn::And(rounded(d, v), hn::Set(du, 0xFFFF0000U)));
  }
  static HWY_INLINE Lane factor(std::uint64_t bits) { return factor_as<float>(bits); }

 private:
  /// One load; the lanes of v0 and v1 are the lower and the upper elements of each 32 bits.
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE void load_two(D d, const std::byte* address, V& v0, V& v1) {
    const hn::RebindToUnsigned<D> du;
    const auto pairs = load_at(du, address);
    v0 = hn::BitCast(d, hn::ShiftLeft<16>(pairs));
    v1 = hn::BitCast(d, hn::And(pairs, hn::Set(du, 0xFFFF0000U)));
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE void store_two(V v0, V v1, D d, std::byte* address) {
    const hn::RebindToUnsigned<D> du;
    const auto lower = hn::ShiftRight<16>(rounded(d, v0));
    const auto upper = hn::And(rounded(d, v1), hn::Set(du, 0xFFFF0000U));
    store_at(hn::Or(lower, upper), du, address);
  }
  /// The upper 16 bits of each lane are the element.
  template <class D>
  static HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> rounded(D d, hn::Vec<D> v) {
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::BitCast(du, canonical(d, v));
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    return hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7FFF)));
  }
};

#if ROCE_REDUCE_HAS_FLOAT16
/// By the processor's conversions, which round to nearest even.
struct Float16Codec : SeparateVectors<Float16Codec> {
  using Lane = float;
  static constexpr std::size_t element_bytes = 2;

  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const std::byte* address) {
    const hn::Rebind<hwy::float16_t, D> half;
    return hn::PromoteTo(d, hn::BitCast(half, load_at(hn::Rebind<std::uint16_t, D>(), address)));
  }
  template <class D>
  static HWY_INLINE void store(hn::Vec<D> v, D d, std::byte* address) {
    const hn::Rebind<hwy::float16_t, D> half;
    const hn::Rebind<std::uint16_t, D> elements;
    store_at(hn::BitCast(elements, hn::DemoteTo(half, canonical(d, v))), elements, address);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> round(D d, hn::Vec<D> v) {
    return hn::PromoteTo(d, hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), v));
  }
  static HWY_INLINE Lane factor(std::uint64_t bits) { return factor_as<float>(bits); }
};
#else
using Float16Codec = SmallFloatCodec<float16_format>;
#endif

}  // namespace roce::reduce::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

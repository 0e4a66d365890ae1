// SPDX-License-Identifier: Apache-2.0
// The loops of a fold: over vectors outside, over sources inside, the accumulators in registers.
#if defined(ROCE_REDUCE_FOLD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ROCE_REDUCE_FOLD_INL
#undef ROCE_REDUCE_FOLD_INL
#else
#define ROCE_REDUCE_FOLD_INL
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "src/reduce/fold.hpp"
#include "src/reduce/operator-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace roce::reduce::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The sources as bytes.
class Sources {
 public:
  HWY_INLINE Sources(const void* const* sources, std::size_t count)
      : sources_(sources), count_(count) {}
  [[nodiscard]] HWY_INLINE std::size_t size() const { return count_; }
  HWY_INLINE const std::byte* operator[](std::size_t s) const {
    return static_cast<const std::byte*>(sources_[s]);
  }

 private:
  const void* const* sources_;
  std::size_t count_;
};

/// Sources as they are, the result as it is.
template <class Codec>
struct Unscaled {
  template <class D>
  HWY_INLINE hn::Vec<D> load(D d, std::size_t, const std::byte* address) const {
    return Codec::load(d, address);
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE void load_four(D d, std::size_t, const std::byte* address, V& v0, V& v1, V& v2,
                            V& v3) const {
    Codec::load_four(d, address, v0, v1, v2, v3);
  }
  template <class D>
  HWY_INLINE hn::Vec<D> finish(D, hn::Vec<D> v) const {
    return v;
  }
};

/// FoldOptions applied: some sources multiplied and rounded, the result of floats divided.
template <class Codec>
class Scaled {
 public:
  using Lane = typename Codec::Lane;

  explicit Scaled(const FoldOptions& options)
      : mask_(options.premul_mask),
        factor_(Codec::factor(options.factor_bits)),
        divides_(hwy::IsFloat<Lane>() && options.divisor > 1),
        divisor_(static_cast<Lane>(options.divisor)) {}

  template <class D>
  HWY_INLINE hn::Vec<D> load(D d, std::size_t source, const std::byte* address) const {
    const auto v = Codec::load(d, address);
    return multiplies(source) ? product(d, v) : v;
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE void load_four(D d, std::size_t source, const std::byte* address, V& v0, V& v1, V& v2,
                            V& v3) const {
    Codec::load_four(d, address, v0, v1, v2, v3);
    if (!multiplies(source)) return;
    v0 = product(d, v0);
    v1 = product(d, v1);
    v2 = product(d, v2);
    v3 = product(d, v3);
  }
  template <class D>
  HWY_INLINE hn::Vec<D> finish(D d, hn::Vec<D> v) const {
    if constexpr (hwy::IsFloat<Lane>()) {
      if (divides_) return hn::Div(v, hn::Set(d, divisor_));
    }
    return v;
  }

 private:
  [[nodiscard]] HWY_INLINE bool multiplies(std::size_t source) const {
    return source < 64 && ((mask_ >> source) & 1) != 0;
  }
  template <class D>
  HWY_INLINE hn::Vec<D> product(D d, hn::Vec<D> v) const {
    return Codec::round(d, hn::Mul(v, hn::Set(d, factor_)));
  }

  std::uint64_t mask_;
  Lane factor_;
  bool divides_;
  Lane divisor_;
};

/// The fold of the Lanes(d) elements at byte `offset` of each source, not yet rounded.
template <class Codec, class Operator, class D, class Scaling>
hn::Vec<D> fold_vector(D d, Sources sources, std::size_t offset, const Scaling& scaling) {
  auto acc = scaling.load(d, 0, sources[0] + offset);
  for (std::size_t s = 1; s < sources.size(); ++s) {
    acc = Operator::combine(d, acc, scaling.load(d, s, sources[s] + offset));
  }
  return scaling.finish(d, acc);
}

/// 4 * Lanes(d) elements at once, so that four chains of operations overlap.
template <class Codec, class Operator, class D, class Scaling>
void fold_four(D d, std::byte* dst, Sources sources, std::size_t offset, const Scaling& scaling) {
  hn::Vec<D> acc0, acc1, acc2, acc3;
  scaling.load_four(d, 0, sources[0] + offset, acc0, acc1, acc2, acc3);
  for (std::size_t s = 1; s < sources.size(); ++s) {
    hn::Vec<D> next0, next1, next2, next3;
    scaling.load_four(d, s, sources[s] + offset, next0, next1, next2, next3);
    acc0 = Operator::combine(d, acc0, next0);
    acc1 = Operator::combine(d, acc1, next1);
    acc2 = Operator::combine(d, acc2, next2);
    acc3 = Operator::combine(d, acc3, next3);
  }
  Codec::store_four(scaling.finish(d, acc0), scaling.finish(d, acc1), scaling.finish(d, acc2),
                    scaling.finish(d, acc3), d, dst + offset);
}

/// At least Lanes(d) elements. The last vector may overlap the one before it. It is folded before
/// anything is stored, so this also holds in place, where a source is overwritten on the way.
template <class Codec, class Operator, class D, class Scaling>
void fold_vectors(D d, std::byte* dst, Sources sources, std::size_t count, const Scaling& scaling) {
  const std::size_t step = hn::Lanes(d) * Codec::element_bytes;
  const std::size_t last = count * Codec::element_bytes - step;
  const auto last_acc = fold_vector<Codec, Operator>(d, sources, last, scaling);
  std::size_t offset = 0;
  for (; offset + 4 * step <= last; offset += 4 * step) {
    fold_four<Codec, Operator>(d, dst, sources, offset, scaling);
  }
  for (; offset < last; offset += step) {
    Codec::store(fold_vector<Codec, Operator>(d, sources, offset, scaling), d, dst + offset);
  }
  Codec::store(last_acc, d, dst + last);
}

/// Fewer than 2 * `limit` elements: the same with the longest vector that is no longer than
/// `count`.
template <class Codec, class Operator, std::size_t limit, class Scaling>
void fold_few(std::byte* dst, Sources sources, std::size_t count, const Scaling& scaling) {
  const hn::CappedTag<typename Codec::Lane, limit> d;
  const std::size_t lanes = hn::Lanes(d);
  if (count >= lanes) {
    const std::size_t last = (count - lanes) * Codec::element_bytes;
    const auto last_acc = fold_vector<Codec, Operator>(d, sources, last, scaling);
    if (last != 0) Codec::store(fold_vector<Codec, Operator>(d, sources, 0, scaling), d, dst);
    Codec::store(last_acc, d, dst + last);
  } else if constexpr (limit > 1) {
    fold_few<Codec, Operator, limit / 2>(dst, sources, count, scaling);
  }
}

/// Any count but 0.
template <class Codec, class Operator, class Scaling>
void fold_any(std::byte* dst, Sources sources, std::size_t count, const Scaling& scaling) {
  const hn::ScalableTag<typename Codec::Lane> d;
  if (count >= hn::Lanes(d)) {
    fold_vectors<Codec, Operator>(d, dst, sources, count, scaling);
  } else if constexpr (hn::MaxLanes(d) > 1) {
    fold_few<Codec, Operator, hn::MaxLanes(d) / 2>(dst, sources, count, scaling);
  }
}

/// A FoldFunction for operators that know no options: Prod, Max, Min.
template <class Codec, class Operator>
void fold(void* dst, const void* const* sources, std::size_t source_count, std::size_t count,
          const FoldOptions& /*options*/) noexcept {
  if (count == 0) return;
  if (source_count == 1) {
    std::memmove(dst, sources[0], count * Codec::element_bytes);
    return;
  }
  fold_any<Codec, Operator>(static_cast<std::byte*>(dst), Sources(sources, source_count), count,
                            Unscaled<Codec>());
}

/// Divides integers, truncating towards zero. The quotient of two 32-bit integers keeps its integer
/// part when it is rounded to a double: it is at least 2^-32 below the next one if not equal to it.
template <typename T>
void divide(void* elements, std::size_t count, std::uint32_t divisor) noexcept {
  using Wide = std::conditional_t<sizeof(T) < 8, double, T>;
  auto* address = static_cast<std::byte*>(elements);
  const auto wide_divisor = static_cast<Wide>(divisor);
  for (std::size_t i = 0; i < count; ++i, address += sizeof(T)) {
    T element;
    std::memcpy(&element, address, sizeof element);
    element = static_cast<T>(static_cast<Wide>(element) / wide_divisor);
    std::memcpy(address, &element, sizeof element);
  }
}

/// A FoldFunction for Sum, Avg and PremulSum. `ScaledCodec` can multiply, `Divided` is the integer
/// type in which the result is divided, or void for floats, whose lanes are.
template <class Codec, class ScaledCodec, typename Divided>
void fold_sum(void* dst, const void* const* sources, std::size_t source_count, std::size_t count,
              const FoldOptions& options) noexcept {
  if (count == 0) return;
  if (options.premul_mask == 0 && (options.divisor <= 1 || !std::is_void_v<Divided>)) {
    FoldOptions none;
    fold<Codec, SumOperator>(dst, sources, source_count, count, none);
  } else {
    fold_any<ScaledCodec, SumOperator>(static_cast<std::byte*>(dst), Sources(sources, source_count),
                                       count, Scaled<ScaledCodec>(options));
  }
  if constexpr (!std::is_void_v<Divided>) {
    if (options.divisor > 1) divide<Divided>(dst, count, options.divisor);
  }
}

/// The kernels of a float type.
template <class Codec>
FoldFunction find_float(ReduceOp::Kind kind) noexcept {
  switch (kind) {
    case ReduceOp::Kind::Prod:
      return fold<Codec, ProdOperator>;
    case ReduceOp::Kind::Max:
      return fold<Codec, MaxOperator>;
    case ReduceOp::Kind::Min:
      return fold<Codec, MinOperator>;
    default:
      return fold_sum<Codec, Codec, void>;
  }
}

}  // namespace roce::reduce::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

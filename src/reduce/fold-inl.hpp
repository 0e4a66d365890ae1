// SPDX-License-Identifier: Apache-2.0
// The loops of a fold: over vectors outside, over sources inside, the accumulators in registers.
#if defined(ROCE_REDUCE_FOLD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ROCE_REDUCE_FOLD_INL
#undef ROCE_REDUCE_FOLD_INL
#else
#define ROCE_REDUCE_FOLD_INL
#endif

#include <array>
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

/// A number of sources known to the compiler, whose addresses stay in registers.
template <std::size_t n>
class FixedSources {
 public:
  HWY_INLINE explicit FixedSources(const void* const* sources) {
    for (std::size_t s = 0; s < n; ++s) sources_[s] = static_cast<const std::byte*>(sources[s]);
  }
  [[nodiscard]] static constexpr std::size_t size() { return n; }
  HWY_INLINE const std::byte* operator[](std::size_t s) const { return sources_[s]; }

 private:
  std::array<const std::byte*, n> sources_;
};

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
    const bool multiplies = source < 64 && ((mask_ >> source) & 1) != 0;
    return multiplies ? Codec::round(d, hn::Mul(v, hn::Set(d, factor_))) : v;
  }
  template <class D>
  HWY_INLINE hn::Vec<D> finish(D d, hn::Vec<D> v) const {
    if constexpr (hwy::IsFloat<Lane>()) {
      if (divides_) return hn::Div(v, hn::Set(d, divisor_));
    }
    return v;
  }

 private:
  std::uint64_t mask_;
  Lane factor_;
  bool divides_;
  Lane divisor_;
};

/// The fold of the Lanes(d) elements at byte `offset` of each source, not yet rounded.
template <class Codec, class Operator, class D, class SourceList, class Scaling>
HWY_INLINE hn::Vec<D> fold_vector(D d, const SourceList& sources, std::size_t offset,
                                  const Scaling& scaling) {
  auto acc = scaling.load(d, 0, sources[0] + offset);
  for (std::size_t s = 1; s < sources.size(); ++s) {
    acc = Operator::combine(d, acc, scaling.load(d, s, sources[s] + offset));
  }
  return scaling.finish(d, acc);
}

/// Four neighbouring vectors at once, so that their chains of operations overlap.
template <class Codec, class Operator, class D, class SourceList, class Scaling>
HWY_INLINE void fold_four(D d, std::byte* dst, const SourceList& sources, std::size_t offset,
                          std::size_t step, const Scaling& scaling) {
  const std::byte* from = sources[0] + offset;
  auto acc0 = scaling.load(d, 0, from);
  auto acc1 = scaling.load(d, 0, from + step);
  auto acc2 = scaling.load(d, 0, from + 2 * step);
  auto acc3 = scaling.load(d, 0, from + 3 * step);
  for (std::size_t s = 1; s < sources.size(); ++s) {
    from = sources[s] + offset;
    acc0 = Operator::combine(d, acc0, scaling.load(d, s, from));
    acc1 = Operator::combine(d, acc1, scaling.load(d, s, from + step));
    acc2 = Operator::combine(d, acc2, scaling.load(d, s, from + 2 * step));
    acc3 = Operator::combine(d, acc3, scaling.load(d, s, from + 3 * step));
  }
  Codec::store(scaling.finish(d, acc0), d, dst + offset);
  Codec::store(scaling.finish(d, acc1), d, dst + offset + step);
  Codec::store(scaling.finish(d, acc2), d, dst + offset + 2 * step);
  Codec::store(scaling.finish(d, acc3), d, dst + offset + 3 * step);
}

/// At least Lanes(d) elements. The last vector may overlap the one before it. It is folded before
/// anything is stored, so this also holds in place, where a source is overwritten on the way.
template <class Codec, class Operator, class D, class SourceList, class Scaling>
HWY_INLINE void fold_vectors(D d, std::byte* dst, const SourceList& sources, std::size_t count,
                             const Scaling& scaling) {
  const std::size_t step = hn::Lanes(d) * Codec::element_bytes;
  const std::size_t last = count * Codec::element_bytes - step;
  const auto last_acc = fold_vector<Codec, Operator>(d, sources, last, scaling);
  std::size_t offset = 0;
  for (; offset + 4 * step <= last; offset += 4 * step) {
    fold_four<Codec, Operator>(d, dst, sources, offset, step, scaling);
  }
  for (; offset < last; offset += step) {
    Codec::store(fold_vector<Codec, Operator>(d, sources, offset, scaling), d, dst + offset);
  }
  Codec::store(last_acc, d, dst + last);
}

/// Fewer than 2 * `limit` elements: the same with the longest vector that is no longer than
/// `count`.
template <class Codec, class Operator, std::size_t limit, class SourceList, class Scaling>
HWY_INLINE void fold_few(std::byte* dst, const SourceList& sources, std::size_t count,
                         const Scaling& scaling) {
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
template <class Codec, class Operator, class SourceList, class Scaling>
HWY_INLINE void fold_any(std::byte* dst, const SourceList& sources, std::size_t count,
                         const Scaling& scaling) {
  const hn::ScalableTag<typename Codec::Lane> d;
  if (count >= hn::Lanes(d)) {
    fold_vectors<Codec, Operator>(d, dst, sources, count, scaling);
  } else if constexpr (hn::MaxLanes(d) > 1) {
    fold_few<Codec, Operator, hn::MaxLanes(d) / 2>(dst, sources, count, scaling);
  }
}

/// The fold alone, without options.
template <class Codec, class Operator>
void fold_unscaled(void* dst, const void* const* sources, std::size_t source_count,
                   std::size_t count) noexcept {
  auto* const to = static_cast<std::byte*>(dst);
  const Unscaled<Codec> scaling;
  const hn::ScalableTag<typename Codec::Lane> d;
  if (count < hn::Lanes(d) || source_count > 4) {
    return fold_any<Codec, Operator>(to, Sources(sources, source_count), count, scaling);
  }
  switch (source_count) {
    case 2:
      return fold_vectors<Codec, Operator>(d, to, FixedSources<2>(sources), count, scaling);
    case 3:
      return fold_vectors<Codec, Operator>(d, to, FixedSources<3>(sources), count, scaling);
    default:
      return fold_vectors<Codec, Operator>(d, to, FixedSources<4>(sources), count, scaling);
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
  fold_unscaled<Codec, Operator>(dst, sources, source_count, count);
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

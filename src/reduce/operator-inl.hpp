// SPDX-License-Identifier: Apache-2.0
// The binary operators that a fold applies to accumulator lanes.
#if defined(ROCE_REDUCE_OPERATOR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ROCE_REDUCE_OPERATOR_INL
#undef ROCE_REDUCE_OPERATOR_INL
#else
#define ROCE_REDUCE_OPERATOR_INL
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace roce::reduce::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

struct SumOperator {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V combine(D, V sum, V next) {
    return hn::Add(sum, next);
  }
};

struct ProdOperator {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V combine(D, V product, V next) {
    return hn::Mul(product, next);
  }
};

// Highway's Min and Max treat NaNs and zeros of either sign as the processor does; these always
// prefer a number to a NaN and keep the earlier operand on a tie.
struct MaxOperator {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V combine(D, V best, V next) {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return hn::IfThenElse(hn::Or(hn::Gt(next, best), hn::IsNaN(best)), next, best);
    } else {
      return hn::Max(best, next);
    }
  }
};

struct MinOperator {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V combine(D, V best, V next) {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return hn::IfThenElse(hn::Or(hn::Lt(next, best), hn::IsNaN(best)), next, best);
    } else {
      return hn::Min(best, next);
    }
  }
};

}  // namespace roce::reduce::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

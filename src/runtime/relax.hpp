// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace roce::runtime {

/// Between two polls of a flag: nothing for the first few, so that an answer that is on its way is
/// seen at once, then the processor's hint that this is a spin.
inline void relax(unsigned poll) noexcept {
  constexpr unsigned eager_polls = 64;
  if (poll < eager_polls) return;
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  // yield is a no-op on many Arm cores; isb delays by some tens of cycles, as pause does on x86.
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace roce::runtime

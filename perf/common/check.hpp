// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "perf/common/expectation.hpp"

namespace roce::perf {

/// Elements of `data` that differ from the expectation. `data` begins at element `first` of the
/// pattern.
[[nodiscard]] std::size_t count_wrong(const Expectation& expected, std::size_t first,
                                      const std::byte* data, std::size_t count);

}  // namespace roce::perf

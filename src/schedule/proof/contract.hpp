// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "src/schedule/ir.hpp"

namespace roce::schedule::proof {

/// What a rank's In holds, as a part of the whole vector: its block for all-gather, everything for
/// all-reduce, reduce-scatter and the root of a broadcast; empty where there is no In.
[[nodiscard]] std::optional<Slice> input_part(const Schedule& schedule, int rank);

/// What a rank's Out holds: its block for reduce-scatter, everything for all-reduce, all-gather and
/// broadcast; empty for a barrier.
[[nodiscard]] std::optional<Slice> output_part(const Schedule& schedule, int rank);

}  // namespace roce::schedule::proof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "src/schedule/ir.hpp"

namespace roce::schedule {

/// "in", "out[3/8]" for one chunk, "slot2[4..8/8]" for the chunks from 4 up to 8 of 8.
[[nodiscard]] std::string to_text(const Slice& slice);

/// "reduce out[0/2] <- slot0 slot1", "put 2.slot0 <- slot0", "wait slot3", "signal 0.slot2",
/// "flush 1". All operands have the part that the destination names, unless they name their own.
/// Never throws on a malformed operation.
[[nodiscard]] std::string to_text(const Operation& operation);

/// The whole schedule: one line an operation number, the ranks side by side while they fit into
/// `columns` characters and in further bands below where they do not. With `rank`, that rank only.
/// Throws roce::Error (InvalidArgument) for a rank that the schedule does not have.
[[nodiscard]] std::string to_text(const Schedule& schedule, std::optional<int> rank = {},
                                  int columns = 120);

}  // namespace roce::schedule

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/schedule/ir.hpp"

namespace roce::runtime {

/// True when the part lies in one of `blocks` equal parts of the whole vector.
[[nodiscard]] bool within_one_block(const schedule::Slice& part, unsigned blocks) noexcept;

/// Removes staging from a rank's program, for transports whose puts have read their source when
/// they return: a slot that only holds a copy of In is replaced by In, and a result that is folded
/// into a slot and later copied to Out is folded into Out at once. Right in place too. Operations
/// that go are turned into copies of nothing (no sources), so that the numbers of the others stay.
///
/// Why it is sound: only this rank's own accesses move, puts read at issue, and each rewrite is
/// made only where nothing between the old and the new access writes what is read. `blocks` is how
/// many equal parts of the whole vector lie apart in the user's buffers (1 when it is contiguous):
/// a put or a fold is never given more than one of them.
[[nodiscard]] schedule::Program remove_staging(const schedule::Program& program, unsigned blocks);

}  // namespace roce::runtime

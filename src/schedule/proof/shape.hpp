// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "src/schedule/ir.hpp"
#include "src/schedule/proof/parts.hpp"
#include "topology/fabric.hpp"

namespace roce::schedule::proof {

/// What makes no sense about the schedule's numbers and operands, each looked at alone: ranks,
/// root, peers, slots, buffers, parts outside of their buffer, operands of unequal parts, two puts
/// into one slot. Empty when it is well-formed; the other parts of the verifier rely on it.
[[nodiscard]] std::string find_malformed(const Schedule& schedule);

/// The first operand that reads a part of a slot which nothing in the schedule writes. Empty when
/// there is none.
[[nodiscard]] std::string find_unwritten(const Schedule& schedule, const Partition& partition);

/// The first put or signal along which the fabric has no link. Empty when all have one.
[[nodiscard]] std::string find_off_fabric(const Schedule& schedule, const topology::Fabric& fabric);

}  // namespace roce::schedule::proof

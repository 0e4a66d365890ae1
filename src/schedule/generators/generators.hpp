// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "src/schedule/ir.hpp"
#include "topology/fabric.hpp"

// One algorithm a function and a file. Each is pure: it makes the schedule for the fabric's ranks,
// or nothing where the algorithm does not exist for that number of ranks or that order of ranks.
// Whether the fabric has the links is the verifier's business. `root` matters to broadcasts only.
//
// All of them keep these rules. What is put comes from a slot, never from In or Out: only slots are
// registered memory. A slot that peers put into holds exactly what that put brings. A slot stands
// for the same thing on every rank. The operands of a reduce have the same order on every rank.
namespace roce::schedule::generators {

using Generated = std::optional<Schedule>;

[[nodiscard]] Generated all_reduce_one_shot(const topology::Fabric& fabric, int root);
[[nodiscard]] Generated all_reduce_two_shot(const topology::Fabric& fabric, int root);
[[nodiscard]] Generated all_reduce_recursive_doubling(const topology::Fabric& fabric, int root);
[[nodiscard]] Generated all_reduce_bidirectional_ring(const topology::Fabric& fabric, int root);
[[nodiscard]] Generated all_reduce_bidirectional_relay(const topology::Fabric& fabric, int root);

[[nodiscard]] Generated all_gather_one_shot(const topology::Fabric& fabric, int root);
[[nodiscard]] Generated all_gather_recursive_doubling(const topology::Fabric& fabric, int root);
[[nodiscard]] Generated all_gather_bruck(const topology::Fabric& fabric, int root);
[[nodiscard]] Generated all_gather_bidirectional_ring(const topology::Fabric& fabric, int root);
[[nodiscard]] Generated all_gather_bidirectional_relay(const topology::Fabric& fabric, int root);

[[nodiscard]] Generated reduce_scatter_direct(const topology::Fabric& fabric, int root);
[[nodiscard]] Generated reduce_scatter_bidirectional_ring(const topology::Fabric& fabric, int root);
[[nodiscard]] Generated reduce_scatter_bidirectional_relay(const topology::Fabric& fabric,
                                                           int root);

[[nodiscard]] Generated broadcast_flat(const topology::Fabric& fabric, int root);
[[nodiscard]] Generated broadcast_chain(const topology::Fabric& fabric, int root);
[[nodiscard]] Generated broadcast_binomial(const topology::Fabric& fabric, int root);

[[nodiscard]] Generated barrier_dissemination(const topology::Fabric& fabric, int root);
[[nodiscard]] Generated barrier_bidirectional_relay(const topology::Fabric& fabric, int root);

}  // namespace roce::schedule::generators

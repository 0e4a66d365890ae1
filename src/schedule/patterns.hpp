// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "src/schedule/build.hpp"
#include "src/schedule/ir.hpp"
#include "topology/fabric.hpp"

namespace roce::schedule {

/// `value` modulo `n`, in 0..n-1 for negative values too.
[[nodiscard]] constexpr int modulo(int value, int n) noexcept { return ((value % n) + n) % n; }

/// The largest k with 2^k <= value; `value` >= 1.
[[nodiscard]] int floor_log2(int value) noexcept;
[[nodiscard]] bool is_power_of_two(int value) noexcept;

/// An empty schedule for the fabric's ranks.
[[nodiscard]] Schedule empty_schedule(Collective collective, const char* name,
                                      const topology::Fabric& fabric, int slots, int root = 0);

/// The schedule of one rank alone: what is in In goes to Out.
[[nodiscard]] Schedule alone(Collective collective, const char* name,
                             const topology::Fabric& fabric);

/// The other ranks in the order in which a rank puts to them, (rank + 1), (rank + 2), ..., so that
/// not all meet at one receiver; and in the order in which their puts arrive.
[[nodiscard]] std::vector<int> peers_to(int rank, int ranks);
[[nodiscard]] std::vector<int> peers_from(int rank, int ranks);

/// Block `rank` of the whole vector, or one of the two halves of that block.
[[nodiscard]] inline Part block(int rank, int ranks) { return {rank, 1, ranks}; }
[[nodiscard]] inline Part half_block(int rank, int half, int ranks) {
  return {2 * rank + half, 1, 2 * ranks};
}

/// The ranks along a ring or a line, with the two ways to go. Way 0 is the order's own, way 1 is
/// against it.
class Chain {
 public:
  explicit Chain(const topology::Fabric& fabric);

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(order_.size()); }
  /// True when the last rank is linked to the first and there are at least three.
  [[nodiscard]] bool closed() const noexcept { return closed_; }
  /// The rank `distance` steps on from `rank` by a way, or -1 behind the end of a line.
  [[nodiscard]] int ahead(int rank, int way, int distance = 1) const noexcept;
  [[nodiscard]] int behind(int rank, int way, int distance = 1) const noexcept {
    return ahead(rank, 1 - way, distance);
  }
  /// The same with the ends joined, whether they are linked or not; a negative distance goes back.
  [[nodiscard]] int around(int rank, int way, int distance) const noexcept;
  /// How far data of one rank goes by a way, so that both ways together reach everyone: half-way
  /// round a ring, where the farthest rank of an even ring is reached by both, and to the end of a
  /// line.
  [[nodiscard]] int reach() const noexcept { return closed_ ? ranks() / 2 : ranks() - 1; }
  /// True for the distance of the farthest rank of an even ring.
  [[nodiscard]] bool meets(int distance) const noexcept {
    return closed_ && 2 * distance == ranks();
  }

 private:
  std::vector<int> order_;
  std::vector<int> position_;  ///< by rank
  bool closed_;
};

}  // namespace roce::schedule

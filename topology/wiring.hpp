// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace roce::topology {

/// Which of n nodes are linked: symmetric, without links of a node to itself.
class Links {
 public:
  explicit Links(int nodes)
      : nodes_(nodes), linked_(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes)) {}

  [[nodiscard]] int nodes() const noexcept { return nodes_; }
  [[nodiscard]] bool linked(int a, int b) const noexcept { return linked_[index(a, b)]; }
  void link(int a, int b) {
    if (a == b) return;
    linked_[index(a, b)] = true;
    linked_[index(b, a)] = true;
  }
  [[nodiscard]] int degree(int node) const noexcept;
  /// True when every two nodes are linked.
  [[nodiscard]] bool complete() const noexcept;
  /// True when every node can be reached from node 0.
  [[nodiscard]] bool connected() const;

 private:
  [[nodiscard]] std::size_t index(int a, int b) const noexcept {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(nodes_) +
           static_cast<std::size_t>(b);
  }
  int nodes_;
  std::vector<bool> linked_;
};

/// All nodes in an order in which neighbours are linked: `closed` asks that the last and the first
/// are too. The first such order, node 0 first (where that is open: the smallest possible), smaller
/// nodes before larger ones; so it is the same wherever it is computed. Empty when there is none,
/// or none was found within a bounded search.
[[nodiscard]] std::optional<std::vector<int>> path_through_all(const Links& links, bool closed);

}  // namespace roce::topology

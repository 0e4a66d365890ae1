// SPDX-License-Identifier: Apache-2.0
#include "topology/wiring.hpp"

namespace roce::topology {
namespace {

/// Depth-first search for a path through all nodes. Rings and lines are found at once; the bound is
/// for wirings that have no such path.
class PathSearch {
 public:
  PathSearch(const Links& links, bool closed)
      : links_(links), closed_(closed), used_(static_cast<std::size_t>(links.nodes())) {}

  std::optional<std::vector<int>> from(int start) {
    path_.clear();
    used_.assign(used_.size(), false);
    if (extend(start)) return path_;
    return std::nullopt;
  }

 private:
  static constexpr int most_steps = 200'000;

  bool extend(int node) {
    if (++steps_ > most_steps) return false;
    path_.push_back(node);
    used_[static_cast<std::size_t>(node)] = true;
    if (static_cast<int>(path_.size()) == links_.nodes()) {
      if (!closed_ || links_.linked(node, path_.front())) return true;
    } else {
      for (int next = 0; next < links_.nodes(); ++next) {
        if (!used_[static_cast<std::size_t>(next)] && links_.linked(node, next) && extend(next)) {
          return true;
        }
      }
    }
    used_[static_cast<std::size_t>(node)] = false;
    path_.pop_back();
    return false;
  }

  const Links& links_;
  bool closed_;
  int steps_ = 0;
  std::vector<bool> used_;
  std::vector<int> path_;
};

}  // namespace

int Links::degree(int node) const noexcept {
  int degree = 0;
  for (int other = 0; other < nodes_; ++other) degree += linked(node, other) ? 1 : 0;
  return degree;
}

bool Links::complete() const noexcept {
  for (int node = 0; node < nodes_; ++node) {
    if (degree(node) != nodes_ - 1) return false;
  }
  return true;
}

bool Links::connected() const {
  std::vector<int> reached{0};
  std::vector<bool> seen(static_cast<std::size_t>(nodes_), false);
  seen[0] = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (int other = 0; other < nodes_; ++other) {
      if (seen[static_cast<std::size_t>(other)] || !linked(reached[i], other)) continue;
      seen[static_cast<std::size_t>(other)] = true;
      reached.push_back(other);
    }
  }
  return static_cast<int>(reached.size()) == nodes_;
}

std::optional<std::vector<int>> path_through_all(const Links& links, bool closed) {
  PathSearch search(links, closed);
  const int starts = closed ? 1 : links.nodes();
  for (int start = 0; start < starts; ++start) {
    if (auto path = search.from(start)) return path;
  }
  return std::nullopt;
}

}  // namespace roce::topology

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>

namespace roce::runtime {

/// Who waits for whom, from the notices of ranks that ran out of time. Each waits for one; so
/// following the notices leads from any rank to one that gave none: the rank that did not come.
class WaitGraph {
 public:
  /// Notes that `rank` waits for `peer`; a rank's first notice counts. One that would close a
  /// circle is left out: it is of the culprit itself, which came too late and waits for its
  /// victims. False when it was left out or known.
  bool add(int rank, int peer) {
    if (peer < 0 || waits_for_.contains(rank) || culprit(peer) == rank) return false;
    waits_for_[rank] = peer;
    return true;
  }
  /// The rank that `suspect` waits for in the end, perhaps itself.
  [[nodiscard]] int culprit(int suspect) const {
    for (auto next = waits_for_.find(suspect); next != waits_for_.end();
         next = waits_for_.find(suspect)) {
      suspect = next->second;
    }
    return suspect;
  }
  [[nodiscard]] std::size_t size() const noexcept { return waits_for_.size(); }

 private:
  std::map<int, int> waits_for_;
};

}  // namespace roce::runtime

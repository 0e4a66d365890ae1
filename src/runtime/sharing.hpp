// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "src/schedule/ir.hpp"

namespace roce::runtime {

/// Which slots can be written once for several receivers, for transports whose ranks read each
/// other's memory: where a rank puts one source into the same slot of several peers, it may write
/// that slot in its own memory and the peers read it there.
class SlotSharing {
 public:
  /// No sharing at all.
  SlotSharing() = default;
  /// Finds what can be shared. The same on every rank. A slot is shared when
  /// * all of its sender's puts into it stand next to each other and have one source, so that what
  ///   the proof says of each of them (its readers of the last round are done) holds for all when
  ///   the first is made;
  /// * the sender uses its own slot of that number for nothing but that source, written with no
  ///   wait between the write and the puts;
  /// * no receiver writes into it.
  explicit SlotSharing(const schedule::Schedule& schedule);

  /// Whether what `sender` puts into `slot` is read in the sender's memory.
  [[nodiscard]] bool shared(int sender, std::uint16_t slot) const noexcept {
    return !shared_.empty() && shared_[static_cast<std::size_t>(sender)][slot];
  }

 private:
  std::vector<std::vector<bool>> shared_;
};

}  // namespace roce::runtime

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "roce/unique_id.hpp"
#include "src/bootstrap/connection.hpp"
#include "src/bootstrap/deadline.hpp"
#include "src/bootstrap/handshake.hpp"

namespace roce::bootstrap {

/// How long one address may take to accept a connection: one that swallows packets must not hold up
/// the next address for as long as TCP would.
inline constexpr std::chrono::milliseconds connect_patience{3000};

/// The connections of one rank, by peer; null for itself.
using Connections = std::vector<std::unique_ptr<Connection>>;

/// Who meets, and for how long.
struct Party {
  int rank = 0;
  int size = 1;
  Deadline deadline;
  /// True when a rank that has not come yet is known to be gone; may be empty. Asked often.
  std::function<bool(int rank)> known_gone = {};
};

/// Rank 0's part: listens, takes in the others, tells all where the others are, and returns when
/// everybody is connected to everybody. Throws Error: Timeout naming the ranks that did not come,
/// or the reason that another rank gives for its failure; the ranks that are there learn it too.
[[nodiscard]] Connections meet_as_root(Listener listener, const Secret& secret, const Party& party);

/// The part of every other rank. `meeting_point` is asked before each attempt to reach rank 0.
/// Throws Error: Timeout, Mismatch with rank 0's reason, PeerFailed or what rank 0 announces.
[[nodiscard]] Connections meet_as_joiner(const std::function<UniqueId()>& meeting_point,
                                         const Party& party);

/// "rank 3" or "ranks 1, 4 and 5".
[[nodiscard]] std::string rank_list(const std::vector<int>& ranks);

}  // namespace roce::bootstrap

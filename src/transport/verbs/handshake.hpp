// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "roce/bootstrap.hpp"
#include "roce/status.hpp"
#include "src/transport/outcome.hpp"

namespace roce::transport::verbs {

/// What the peer's end of a queue pair must know of mine.
struct Endpoint {
  int peer = -1;         ///< for whom
  std::size_t rail = 0;  ///< position in rails() of the two ranks
  std::uint32_t number = 0;
  std::uint32_t psn = 0;
  std::uint64_t address = 0;  ///< of my slot memory
  std::uint32_t key = 0;
};

/// What a rank says to all in one round of the handshake. A round with an error on any rank fails
/// on all of them.
struct Offer {
  ErrorCode code = ErrorCode::Ok;
  std::string error;     ///< not empty: this rank cannot go on
  std::string settings;  ///< must be equal on all ranks that have endpoints
  bool in_order = true;  ///< no connection of mine lacks the promise that trailer mode rests on
  std::vector<Endpoint> endpoints;
};

/// Exchanges offers; those of all, by rank. Collective. When ranks offer errors, throws the same
/// roce::Error on all: the first such rank's code, and a sentence with the ranks and their reasons.
/// Mismatch when settings differ.
[[nodiscard]] std::vector<Offer> exchange(Bootstrap& bootstrap, const Offer& mine);

}  // namespace roce::transport::verbs

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "roce/bootstrap.hpp"
#include "roce/status.hpp"
#include "src/transport/outcome.hpp"

namespace roce::transport::ucx {

/// What a rank says to all in one round of setting up. A round with an error on any rank fails on
/// all of them.
struct Offer {
  ErrorCode code = ErrorCode::Ok;
  std::string error;               ///< not empty: this rank cannot go on
  std::string settings;            ///< must be equal on all ranks
  std::uint64_t token = 0;         ///< for the headers of messages to this rank
  std::vector<std::byte> address;  ///< of its worker
};

/// Exchanges offers; those of all, by rank. Collective. When ranks offer errors, throws the same
/// roce::Error on all, as require_no_errors() does; Mismatch when settings differ.
[[nodiscard]] std::vector<Offer> exchange(Bootstrap& bootstrap, const Offer& mine);

}  // namespace roce::transport::ucx

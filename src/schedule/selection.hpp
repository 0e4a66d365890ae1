// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "src/schedule/catalog.hpp"

namespace roce::schedule {

/// What a schedule is chosen for.
struct Question {
  Collective collective = Collective::AllReduce;
  std::size_t bytes = 0;  ///< of the whole vector
  int root = 0;
  Numerics weakest = Numerics::Agreed;  ///< the weakest acceptable class
};

/// The schedule for a question: the first of the size's candidates that the fabric can carry and
/// whose numerics are strong enough. A pure function of its arguments, so that all ranks agree.
/// Throws roce::Error (Unsupported) when there is none.
[[nodiscard]] VerifiedSchedule select(const Question& question, const topology::Fabric& fabric);

/// A schedule by name ("one_shot" or "all_reduce/one_shot"). Throws roce::Error (InvalidArgument):
/// unknown, of another collective, not for this fabric, or of weaker numerics than asked for.
[[nodiscard]] VerifiedSchedule select_named(const Question& question, std::string_view name,
                                            const topology::Fabric& fabric);

/// True when the name (with or without its collective) is one of this collective's. Throws
/// roce::Error (InvalidArgument) when no collective has it; an empty name serves none.
[[nodiscard]] bool serves(std::string_view name, Collective collective);

}  // namespace roce::schedule

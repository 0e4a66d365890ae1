// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/schedule/ir.hpp"
#include "src/schedule/verifier.hpp"
#include "topology/fabric.hpp"

namespace roce::schedule {

/// A generator under its name. `make` is a pure function.
struct CatalogEntry {
  Collective collective;
  std::string_view name;
  std::string_view description;  ///< one line
  /// Empty when the algorithm does not exist for this number of ranks or this fabric's class.
  std::optional<Schedule> (*make)(const topology::Fabric& fabric, int root);
};

/// Every schedule that the library offers.
[[nodiscard]] std::span<const CatalogEntry> catalog() noexcept;

/// The entry, or throws roce::Error (InvalidArgument) that lists the names for that collective.
[[nodiscard]] const CatalogEntry& find(Collective collective, std::string_view name);

/// The verified schedule of an entry on a fabric, or empty where it does not exist or the fabric
/// has not the links. Throws roce::Error (InvalidArgument) for a root that is no rank. Results are
/// cached; thread-safe.
[[nodiscard]] std::optional<VerifiedSchedule> offer(const CatalogEntry& entry,
                                                    const topology::Fabric& fabric, int root);

}  // namespace roce::schedule

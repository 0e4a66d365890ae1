// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "src/transport/verbs/context.hpp"

namespace roce::transport::verbs {

/// The valid entries of the GID tables of all ports; empty when they can't be read.
[[nodiscard]] std::vector<ibv_gid_entry> gid_table(const Context& context);

}  // namespace roce::transport::verbs

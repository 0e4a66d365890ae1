// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace roce::transport::verbs {

/// True for a device without hardware (rxe, siw): the host's processors do its work, and need the
/// processor that a waiting rank spins on. `sysfs` is where /sys is.
[[nodiscard]] bool is_software(const std::string& device,
                               const std::filesystem::path& sysfs = "/sys");

}  // namespace roce::transport::verbs

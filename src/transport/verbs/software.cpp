// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/software.hpp"

#include <system_error>

namespace roce::transport::verbs {

bool is_software(const std::string& device, const std::filesystem::path& sysfs) {
  const std::filesystem::path folder = sysfs / "class/infiniband" / device;
  std::error_code ignored;
  // rxe has a file "parent" with its netdev's name, even where it has that netdev's PCI device.
  return std::filesystem::exists(folder / "parent", ignored) ||
         !std::filesystem::exists(folder / "device", ignored);
}

}  // namespace roce::transport::verbs

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace roce::transport::verbs {

/// The counters of a port that tell of trouble (hw_counters in sysfs), and what they did since this
/// object was made. What a device does not have is left out.
class PortCounters {
 public:
  /// `ports` is the folder of the device's ports.
  PortCounters(const std::filesystem::path& ports, int port);
  /// "duplicate_request +3, retry_exceeded_err +1", or empty.
  [[nodiscard]] std::string changes() const;

 private:
  using Values = std::map<std::string, std::uint64_t>;
  [[nodiscard]] Values read() const;

  std::filesystem::path folder_;
  Values start_;
};

/// /sys/class/infiniband/DEVICE/ports.
[[nodiscard]] std::filesystem::path ports_folder(const std::string& device);

}  // namespace roce::transport::verbs

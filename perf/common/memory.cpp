// SPDX-License-Identifier: Apache-2.0
#include "perf/common/memory.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace roce::perf {
namespace {

namespace fs = std::filesystem;

std::optional<std::size_t> read_number(const fs::path& file) {
  std::ifstream stream(file);
  std::size_t value = 0;
  if (!(stream >> value)) return std::nullopt;  // "max" too: no limit
  return value;
}

// The number that follows `key` in a file of "key value" lines.
std::optional<std::size_t> read_keyed(const fs::path& file, const std::string& key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream fields(line);
    std::string name;
    std::size_t value = 0;
    if (fields >> name >> value && name == key) return value;
  }
  return std::nullopt;
}

// What a cgroup's files are called in each version.
struct CgroupFiles {
  const char* limit;
  const char* usage;
  const char* droppable;
};
constexpr CgroupFiles version_2{"memory.max", "memory.current", "inactive_file"};
constexpr CgroupFiles version_1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                                "total_inactive_file"};

std::optional<std::size_t> left_in(const fs::path& cgroup, const CgroupFiles& files) {
  const auto limit = read_number(cgroup / files.limit);
  const auto usage = read_number(cgroup / files.usage);
  if (!limit || !usage) return std::nullopt;
  const auto droppable = read_keyed(cgroup / "memory.stat", files.droppable).value_or(0);
  const std::size_t used = *usage > droppable ? *usage - droppable : 0;
  return *limit > used ? *limit - used : 0;
}

// Lowers `least` by the cgroup and all its ancestors below `mount`. In a container the path may
// name directories that only the host sees, so the mount itself is looked at too.
void apply_cgroups(AvailableMemory& least, const fs::path& mount, const std::string& path,
                   const CgroupFiles& files) {
  fs::path relative = fs::path(path).relative_path();
  while (true) {
    const fs::path directory = relative.empty() ? mount : mount / relative;
    const auto left = left_in(directory, files);
    if (left && *left < least.bytes) least = {*left, directory.string()};
    if (relative.empty()) return;
    relative = relative.parent_path();
  }
}

// True when "memory" is one of a comma list.
bool lists_memory(const std::string& controllers) {
  std::istringstream list(controllers);
  for (std::string name; std::getline(list, name, ',');) {
    if (name == "memory") return true;
  }
  return false;
}

}  // namespace

AvailableMemory available_memory(const std::string& root) {
  AvailableMemory least{std::numeric_limits<std::size_t>::max(), "no known limit"};
  if (const auto kib = read_keyed(root + "/proc/meminfo", "MemAvailable:")) {
    least = {*kib * 1024, "MemAvailable"};
  }
  std::ifstream cgroups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(cgroups, line);) {
    // hierarchy:controllers:path; version 2 has hierarchy 0 and no controllers.
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      apply_cgroups(least, root + "/sys/fs/cgroup", path, version_2);
    } else if (lists_memory(controllers)) {
      apply_cgroups(least, root + "/sys/fs/cgroup/memory", path, version_1);
    }
  }
  return least;
}

}  // namespace roce::perf

// SPDX-License-Identifier: Apache-2.0
#include "perf/common/memory.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/catch.hpp"

namespace {

namespace fs = std::filesystem;

// A directory that stands for "/".
class FakeRoot {
 public:
  FakeRoot() : path_(fs::temp_directory_path() / ("roce_memory_test." + std::to_string(getpid()))) {
    fs::remove_all(path_);
    write("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable: 8000 kB\n");
  }
  ~FakeRoot() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  void write(const std::string& file, const std::string& content) const {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << content;
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

using roce::perf::available_memory;

TEST_CASE("without cgroups MemAvailable counts") {
  const FakeRoot root;
  CHECK(available_memory(root.path()).bytes == 8000U * 1024);
  CHECK(available_memory(root.path()).source == "MemAvailable");
}

TEST_CASE("a version 2 ancestor's limit counts, less what cannot be dropped") {
  const FakeRoot root;
  root.write("proc/self/cgroup", "0::/a/b\n");
  root.write("sys/fs/cgroup/a/b/memory.max", "max\n");
  root.write("sys/fs/cgroup/a/b/memory.current", "5\n");
  root.write("sys/fs/cgroup/a/memory.max", "1000000\n");
  root.write("sys/fs/cgroup/a/memory.current", "700000\n");
  root.write("sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 200000\n");
  CHECK(available_memory(root.path()).bytes == 500000);
}

TEST_CASE("a version 1 limit counts") {
  const FakeRoot root;
  root.write("proc/self/cgroup", "5:cpu,memory:/c\n4:freezer:/c\n");
  root.write("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "4096\n");
  root.write("sys/fs/cgroup/memory/c/memory.usage_in_bytes", "5000\n");
  CHECK(available_memory(root.path()).bytes == 0);
}

TEST_CASE("in a container the limit is at the mount, whatever the path says") {
  const FakeRoot root;
  root.write("proc/self/cgroup", "0::/not/visible\n");
  root.write("sys/fs/cgroup/memory.max", "3000\n");
  root.write("sys/fs/cgroup/memory.current", "1000\n");
  CHECK(available_memory(root.path()).bytes == 2000);
}

}  // namespace

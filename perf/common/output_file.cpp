// SPDX-License-Identifier: Apache-2.0
#include "perf/common/output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "roce/status.hpp"

namespace roce::perf {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(ErrorCode::Resource, fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

void write_in_place(const std::string& path, const std::string& content) {
  errno = 0;
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << content;
  stream.close();
  if (!stream) fail(path, errno != 0 ? errno : EIO);
}

bool is_special(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
}

std::string directory_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

void write_file(const std::string& path, const std::string& content) {
  if (is_special(path)) {
    write_in_place(path, content);
    return;
  }
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  write_in_place(temporary, content);
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    std::remove(temporary.c_str());
    fail(path, error);
  }
}

void require_writable(const std::string& path) {
  if (fs::is_directory(path)) fail(path, EISDIR);
  const std::string target = is_special(path) ? path : directory_of(path);
  if (::access(target.c_str(), W_OK) != 0) fail(path, errno);
}

}  // namespace roce::perf

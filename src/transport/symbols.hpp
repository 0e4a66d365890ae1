// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <string>

namespace roce::transport {

/// Looks functions of a loaded library up; remembers the first that is missing.
class Symbols {
 public:
  /// `handle` is dlopen's.
  explicit Symbols(void* handle) noexcept : handle_(handle) {}

  template <typename Function>
  Symbols& optional(const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(handle_, name));
    return *this;
  }
  template <typename Function>
  Symbols& need(const char* name, Function& function) {
    optional(name, function);
    if (function == nullptr && missing_.empty()) missing_ = name;
    return *this;
  }
  [[nodiscard]] const std::string& missing() const noexcept { return missing_; }

 private:
  void* handle_;
  std::string missing_;
};

/// Why the latest dlopen failed.
[[nodiscard]] inline std::string load_error() {
  const char* const text = ::dlerror();
  return text == nullptr ? "unknown reason" : text;
}

}  // namespace roce::transport

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <infiniband/verbs.h>

#include <memory>

#include "src/transport/verbs/library.hpp"

namespace roce::transport::verbs {

/// Calls one of the library's functions that end a verbs object's life. They fail only for objects
/// that others still use, which the owners' order rules out.
template <auto Member>
struct Destroyer {
  template <typename T>
  void operator()(T* object) const noexcept {
    // There is an object, so there is a library.
    static_cast<void>((loaded_library().functions.get()->*Member)(object));
  }
};

/// Owns a verbs object of type T.
template <typename T, auto Member>
using Handle = std::unique_ptr<T, Destroyer<Member>>;

}  // namespace roce::transport::verbs

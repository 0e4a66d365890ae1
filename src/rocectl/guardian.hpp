// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "src/rocectl/file_descriptor.hpp"

namespace roce::rocectl {

/// A small process that outlives this one only to kill process groups that this one left behind,
/// however it ended. PR_SET_PDEATHSIG does that for the ranks, but not for what they have started.
class Guardian {
 public:
  /// Throws std::system_error.
  Guardian();
  /// Ends it; it kills the groups that it still watches.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  void watch(pid_t group) noexcept;
  /// Call when the group is gone.
  void forget(pid_t group) noexcept;

 private:
  FileDescriptor line_;
  pid_t pid_ = -1;
};

}  // namespace roce::rocectl

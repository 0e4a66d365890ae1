// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "roce/export.hpp"
#include "roce/unique_id.hpp"

namespace roce {

/// Who this process is in its job, and where the ranks meet.
struct LaunchInfo {
  int rank = 0;
  int size = 1;
  int local_rank = 0;   ///< rank among those on this host, 0 where the launcher does not say
  UniqueId rendezvous;  ///< meaningless when size is 1
  std::string source;   ///< for example "ROCE_RANK", "torchrun", "Open MPI", "Slurm"
};

/// Reads the launcher's variables, the first that is complete of: ROCE_RANK, ROCE_SIZE and
/// ROCE_RENDEZVOUS; torchrun's RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT; Open MPI's; PMI's and
/// PMIx's; Slurm's. Without any of them this process is a job of one rank.
///
/// ROCE_RENDEZVOUS (host:port or host:port/secret) overrides the meeting point of any launcher, and
/// ROCE_SECRET the secret that is otherwise derived from the launcher's job identity.
/// Throws Error (InvalidArgument) that names the variable that is wrong or missing.
[[nodiscard]] ROCE_API LaunchInfo launch_from_environment();

}  // namespace roce

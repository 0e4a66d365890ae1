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
  /// "ROCE_RANK", "torchrun", "Open MPI", "PMI", "PMIx" or "Slurm"; "none" without a launcher.
  std::string source;
};

/// Reads the launcher's variables, the first of these that are set:
///
/// 1. ROCE_RANK and ROCE_SIZE, with ROCE_RENDEZVOUS and optionally ROCE_LOCAL_RANK.
/// 2. torchrun's RANK and WORLD_SIZE (LOCAL_RANK). Meets at MASTER_ADDR, port MASTER_PORT + 1000
///    (or - 1000 where that is above 65,535): MASTER_PORT itself is the torch store's.
/// 3. Open MPI's OMPI_COMM_WORLD_RANK and _SIZE (_LOCAL_RANK). On one host meets at 127.0.0.1; on
///    several ROCE_RENDEZVOUS is needed: mpirun -x ROCE_RENDEZVOUS=host:port.
/// 4. PMI_RANK and PMI_SIZE, or PMIX_RANK with ROCE_SIZE. ROCE_RENDEZVOUS is needed unless
///    PMIX_NAMESPACE names the job and MPI_LOCALNRANKS says that all ranks are on one host.
/// 5. Slurm's SLURM_PROCID and SLURM_STEP_NUM_TASKS or SLURM_NTASKS (SLURM_LOCALID) of a process
///    that srun started. Meets at the first host of SLURM_STEP_NODELIST or SLURM_JOB_NODELIST. The
///    shells of salloc and sbatch have SLURM_PROCID too, but no step: a job of one rank.
///
/// Without any of them this process is a job of one rank. Where the launcher gives no port, one
/// from 20,000 to 32,767 follows from its name of the job.
///
/// ROCE_RENDEZVOUS (host:port or host:port/secret) overrides the meeting point of any launcher.
/// The secret is that of ROCE_RENDEZVOUS, else ROCE_SECRET (32 hexadecimal digits), else derived
/// from the launcher's name of the job. A derived secret keeps jobs from mixing by mistake; it does
/// not keep out somebody who can guess that name.
///
/// Throws Error (InvalidArgument) that names the variable that is wrong or missing.
[[nodiscard]] ROCE_API LaunchInfo launch_from_environment();

}  // namespace roce

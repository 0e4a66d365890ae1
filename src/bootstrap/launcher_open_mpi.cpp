// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "src/bootstrap/launcher.hpp"

namespace roce::bootstrap {
namespace {

// Which of these are set depends on Open MPI's version; each is the same on all hosts of one mpirun
// and of no other. The last one is random.
std::string job_identity() {
  std::string identity;
  for (const char* name :
       {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_precondition_transports"}) {
    if (const auto value = variable(name)) identity += *value + " ";
  }
  return identity;
}

}  // namespace

std::optional<LauncherView> from_open_mpi() {
  const auto rank = number("OMPI_COMM_WORLD_RANK");
  const auto size = number("OMPI_COMM_WORLD_SIZE");
  if (!rank && !size) return std::nullopt;
  LauncherView view;
  view.source = "Open MPI";
  view.rank = needed_number("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
  view.size = needed_number("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK");
  view.local_rank = number("OMPI_COMM_WORLD_LOCAL_RANK").value_or(0);
  view.identity = job_identity();
  const bool one_host = number("OMPI_COMM_WORLD_LOCAL_SIZE") == view.size;
  if (one_host && !view.identity.empty()) {
    view.host = "127.0.0.1";
    view.port = port_for(view.identity);
  }
  view.advice = one_host ? "Open MPI does not say which job this is"
                         : "Open MPI started ranks on several hosts and does not say where rank 0 "
                           "is; write mpirun -x ROCE_RENDEZVOUS=host:port ...";
  return view;
}

}  // namespace roce::bootstrap

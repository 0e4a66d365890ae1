// SPDX-License-Identifier: Apache-2.0
#include "roce/status.hpp"
#include "src/bootstrap/launcher.hpp"

namespace roce::bootstrap {
namespace {

void find_meeting_point(LauncherView& view) {
  view.identity = text_of("PMIX_NAMESPACE");
  if (number("MPI_LOCALNRANKS") == view.size && !view.identity.empty()) {
    view.host = "127.0.0.1";
    view.port = port_for(view.identity);
  }
  view.advice = view.source + " does not say where rank 0 is";
}

// PMIx gives the size over its own protocol only; the environment may have it under other names.
std::optional<int> size_beside_pmix() {
  for (const char* name : {"PMI_SIZE", "ROCE_SIZE"}) {
    if (const auto size = number(name)) return size;
  }
  return std::nullopt;
}

}  // namespace

std::optional<LauncherView> from_pmi() {
  LauncherView view;
  if (variable("PMI_RANK") || (variable("PMI_SIZE") && !variable("PMIX_RANK"))) {
    view.source = "PMI";
    view.rank = needed_number("PMI_RANK", "PMI_SIZE");
    view.size = needed_number("PMI_SIZE", "PMI_RANK");
  } else if (const auto rank = number("PMIX_RANK")) {
    const auto size = size_beside_pmix();
    // Under srun --mpi=pmix, Slurm's own variables say all.
    if (!size && variable("SLURM_PROCID")) return std::nullopt;
    if (!size) {
      throw Error(ErrorCode::InvalidArgument,
                  "PMIX_RANK is set, but no variable gives the number of ranks; set ROCE_SIZE");
    }
    view.source = "PMIx";
    view.rank = *rank;
    view.size = *size;
  } else {
    return std::nullopt;
  }
  view.local_rank = number("MPI_LOCALRANKID").value_or(0);
  find_meeting_point(view);
  return view;
}

}  // namespace roce::bootstrap

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "roce/status.hpp"
#include "src/bootstrap/launcher.hpp"

namespace roce::bootstrap {

std::optional<LauncherView> from_roce_variables() {
  const auto rank = number("ROCE_RANK");
  const auto size = number("ROCE_SIZE");
  // PMIx gives a rank and no size; ROCE_SIZE alone supplies it, see from_pmi.
  if (!rank && (!size || variable("PMIX_RANK"))) return std::nullopt;
  LauncherView view;
  view.source = "ROCE_RANK";
  view.rank = needed_number("ROCE_RANK", "ROCE_SIZE");
  view.size = needed_number("ROCE_SIZE", "ROCE_RANK");
  view.identity = text_of("ROCE_RENDEZVOUS");
  view.advice = "ROCE_RENDEZVOUS is not set";
  return view;
}

}  // namespace roce::bootstrap

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "roce/status.hpp"
#include "src/bootstrap/launcher.hpp"

namespace roce::bootstrap {
namespace {

// MASTER_PORT itself is the torch store's, and people give neighbouring jobs neighbouring ports.
constexpr int port_offset = 1000;

std::uint16_t port_beside(int master_port) {
  const int port = master_port + port_offset;
  return static_cast<std::uint16_t>(port <= 65'535 ? port : master_port - port_offset);
}

}  // namespace

std::optional<LauncherView> from_torchrun() {
  // RANK and WORLD_SIZE are common words: one of them alone counts only beside torch's own names.
  const bool both = variable("RANK") && variable("WORLD_SIZE");
  const bool either = variable("RANK") || variable("WORLD_SIZE");
  const bool torch = variable("MASTER_ADDR") || variable("TORCHELASTIC_RUN_ID");
  if (!both && !(either && torch)) return std::nullopt;
  LauncherView view;
  view.source = "torchrun";
  view.rank = needed_number("RANK", "WORLD_SIZE");
  view.size = needed_number("WORLD_SIZE", "RANK");
  view.local_rank = number("LOCAL_RANK").value_or(0);
  view.host = text_of("MASTER_ADDR");
  view.advice = "RANK and WORLD_SIZE are set, but MASTER_ADDR is not";
  view.identity =
      fmt::format("{} {} {} {}", text_of("TORCHELASTIC_RUN_ID"),
                  text_of("TORCHELASTIC_RESTART_COUNT"), view.host, text_of("MASTER_PORT"));
  if (view.host.empty()) return view;
  const int port = needed_number("MASTER_PORT", "MASTER_ADDR");
  if (port < 1 || port > 65'535) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("MASTER_PORT={} is not a port from 1 to 65535", port));
  }
  view.port = port_beside(port);
  return view;
}

}  // namespace roce::bootstrap

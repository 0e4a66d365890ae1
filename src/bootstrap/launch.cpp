// SPDX-License-Identifier: Apache-2.0
#include "roce/launch.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include "roce/status.hpp"
#include "src/bootstrap/endpoint.hpp"
#include "src/bootstrap/launcher.hpp"

namespace roce {
namespace {

using bootstrap::Endpoint;
using bootstrap::LauncherView;
using bootstrap::Secret;

std::optional<LauncherView> view_of_launcher() {
  for (const auto reader : {bootstrap::from_roce_variables, bootstrap::from_torchrun,
                            bootstrap::from_open_mpi, bootstrap::from_pmi, bootstrap::from_slurm}) {
    if (auto view = reader()) return view;
  }
  return std::nullopt;
}

void check(const LauncherView& view) {
  if (view.size >= 1 && view.rank < view.size) return;
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("{} gives rank {} of {} ranks; ranks go from 0 to size - 1", view.source,
                          view.rank, view.size));
}

// Runs `parse` so that its complaint begins with the variable's name.
template <typename Parse>
auto naming(const char* name, Parse parse) {
  try {
    return parse();
  } catch (const Error& error) {
    throw Error(ErrorCode::InvalidArgument, fmt::format("{}: {}", name, error.what()));
  }
}

Secret derived_secret(const LauncherView& view) {
  const std::string text = fmt::format("{} {} {}", view.source, view.size, view.identity);
  Secret secret;
  crypto_generichash(secret.data(), secret.size(),
                     reinterpret_cast<const unsigned char*>(text.data()), text.size(), nullptr, 0);
  return secret;
}

UniqueId meeting_point(const LauncherView& view) {
  Endpoint point{.host = view.host, .port = view.port, .secret = std::nullopt};
  if (const auto text = bootstrap::variable("ROCE_RENDEZVOUS")) {
    point = naming("ROCE_RENDEZVOUS", [&] { return bootstrap::parse_endpoint(*text); });
  } else if (view.host.empty()) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} gives rank {} of {}, but not where to meet: {}; set "
                            "ROCE_RENDEZVOUS=host:port on every rank, host being rank 0's",
                            view.source, view.rank, view.size, view.advice));
  }
  if (!point.secret) {
    const auto text = bootstrap::variable("ROCE_SECRET");
    point.secret = text ? naming("ROCE_SECRET", [&] { return bootstrap::parse_secret(*text); })
                        : derived_secret(view);
  }
  return {.host = point.host, .port = point.port, .secret = *point.secret};
}

}  // namespace

LaunchInfo launch_from_environment() {
  LaunchInfo info;
  info.source = "none";
  const auto view = view_of_launcher();
  if (!view) return info;
  check(*view);
  info.rank = view->rank;
  info.size = view->size;
  info.local_rank = bootstrap::number("ROCE_LOCAL_RANK").value_or(view->local_rank);
  info.source = view->source;
  if (info.size > 1) info.rendezvous = meeting_point(*view);
  return info;
}

}  // namespace roce

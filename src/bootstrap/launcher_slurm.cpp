// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#include "roce/status.hpp"
#include "src/bootstrap/launcher.hpp"

namespace roce::bootstrap {
namespace {

// Step numbers from here on are not srun's: batch scripts, interactive shells and the like, which
// are one process whatever the job's number of tasks.
constexpr std::uint32_t first_special_step = 0xFFFFFFF0U;

bool special_step(const std::string& id) {
  std::uint32_t step = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), step);
  return error == std::errc{} && end == id.data() + id.size() && step >= first_special_step;
}

// In a shell of sbatch or salloc SLURM_PROCID is 0 or unset and no step's variables are set.
bool started_by_srun(int rank) {
  const auto step =
      variable("SLURM_STEP_ID") ? variable("SLURM_STEP_ID") : variable("SLURM_STEPID");
  if (step) return !special_step(*step);
  return rank > 0 || variable("SLURM_STEP_NUM_TASKS") || variable("SLURM_STEP_NODELIST");
}

std::string node_list() {
  for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
    if (auto value = variable(name)) return *value;
  }
  return {};
}

[[noreturn]] void refuse(std::string_view list) {
  throw Error(
      ErrorCode::InvalidArgument,
      fmt::format("the Slurm node list '{}' cannot be read; set ROCE_RENDEZVOUS=host:port", list));
}

}  // namespace

std::string first_host(std::string_view node_list) {
  std::string host;
  std::string_view rest = node_list;
  while (!rest.empty() && rest.front() != ',') {
    if (rest.front() != '[') {
      host += rest.front();
      rest.remove_prefix(1);
      continue;
    }
    const auto close = rest.find(']');
    if (close == std::string_view::npos) refuse(node_list);
    // The first number of the first range, with its leading zeros.
    const auto first = rest.substr(1, rest.find_first_of(",-]") - 1);
    if (first.empty()) refuse(node_list);
    host += first;
    rest.remove_prefix(close + 1);
  }
  if (host.empty() || host.find(']') != std::string::npos) refuse(node_list);
  return host;
}

std::optional<LauncherView> from_slurm() {
  const auto rank = number("SLURM_PROCID");
  if (!rank || !started_by_srun(*rank)) return std::nullopt;
  LauncherView view;
  view.source = "Slurm";
  view.rank = *rank;
  const auto step_tasks = number("SLURM_STEP_NUM_TASKS");
  view.size = step_tasks ? *step_tasks : needed_number("SLURM_NTASKS", "SLURM_PROCID");
  view.local_rank = number("SLURM_LOCALID").value_or(0);
  view.identity = fmt::format("{}.{}.{}", text_of("SLURM_JOB_ID"), text_of("SLURM_STEP_ID"),
                              text_of("SLURM_RESTART_COUNT"));
  view.advice = "neither SLURM_STEP_NODELIST nor SLURM_JOB_NODELIST is set";
  if (const std::string list = node_list(); !list.empty() && view.size > 1) {
    view.host = first_host(list);
    view.port = port_for(view.identity);
  }
  return view;
}

}  // namespace roce::bootstrap

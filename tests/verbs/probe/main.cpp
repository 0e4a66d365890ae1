// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <exception>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "tests/verbs/probe/session.hpp"

namespace {

constexpr const char* help =
    R"(One rank of a check of the verbs transport; start one process a rank.

  ROCE_RANK=0 ROCE_SIZE=2 ROCE_RENDEZVOUS=127.0.0.1:20000 ROCE_HCA=mlx5_0 verbs_probe exchange

  devices               what find_ports finds, and why the rest cannot be used
  exchange              all sizes in all flag modes with all neighbours, verified
  queue                 a full send queue, and sources rewritten after flushed()
  strangers             ranks without a shared cable: one clear error on all
  killed                rank 1 dies; its neighbours must get a failure that names it
  soak SECONDS [TEXT]   exchanges until then; with TEXT a failure that has it must come first
  latency BYTES ROUNDS  medians of two ranks in each flag mode

Status: 0 right, 1 wrong, 2 bad use. Having no RDMA device is wrong.
)";

using roce::probe::Session;
using Arguments = std::span<char*>;

struct Check {
  std::size_t least = 0;
  std::size_t most = 0;
  std::function<void(Arguments)> run;
};

int list_devices() {
  const auto found = roce::transport::verbs::find_ports(roce::Config::from_environment());
  for (const auto& port : found.ports) {
    fmt::print("{}:{} {} MTU {} {} Mbit/s\n", port.device, port.port, port.netdev, port.mtu,
               port.speed);
    for (const auto& gid : port.gids) {
      fmt::print("  GID {} {}/{} {}\n", gid.index, roce::transport::verbs::address_text(gid.bytes),
                 gid.prefix, gid.netdev);
    }
  }
  for (const auto& reason : found.reasons) fmt::print("{}\n", reason);
  return found.ports.empty() ? 1 : 0;
}

std::map<std::string, Check> checks() {
  const auto plain = [](void (*check)(Session&)) {
    return Check{0, 0, [check](Arguments) {
                   Session session;
                   check(session);
                 }};
  };
  return {
      {"exchange", plain(roce::probe::check_exchange)},
      {"queue", plain(roce::probe::check_queue)},
      {"strangers", plain(roce::probe::check_strangers)},
      {"killed", plain(roce::probe::check_killed)},
      {"soak",
       {1, 2,
        [](Arguments values) {
          Session session;
          roce::probe::soak(session, std::chrono::seconds(std::stoi(values[0])),
                            values.size() > 1 ? values[1] : "");
        }}},
      {"latency",
       {2, 2,
        [](Arguments values) {
          Session session;
          roce::probe::measure_latency(session, std::stoul(values[0]), std::stoul(values[1]));
        }}},
  };
}

int run(Arguments arguments) {
  const std::string name = arguments.empty() ? "--help" : arguments[0];
  if (name == "--help" || name == "-h") {
    fmt::print("{}", help);
    return arguments.empty() ? 2 : 0;
  }
  if (name == "devices") return list_devices();
  const auto all = checks();
  const auto found = all.find(name);
  const Arguments values = arguments.subspan(1);
  if (found == all.end() || values.size() < found->second.least ||
      values.size() > found->second.most) {
    fmt::print(stderr, "verbs_probe: wrong use; see --help\n");
    return 2;
  }
  found->second.run(values);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(Arguments(argv, static_cast<std::size_t>(argc)).subspan(1));
  } catch (const std::exception& error) {
    fmt::print(stderr, "verbs_probe: {}\n", error.what());
    return 1;
  }
}

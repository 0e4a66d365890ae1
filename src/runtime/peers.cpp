// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/peers.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "roce/status.hpp"

namespace roce::runtime {
namespace {

using nlohmann::json;

std::string encode(const PeerInfo& info) {
  return json{{"host", info.host}, {"memory", info.memory},     {"machine", info.machine},
              {"cpus", info.cpus}, {"settings", info.settings}, {"error", info.error}}
      .dump(-1, ' ', false, json::error_handler_t::replace);  // host ids may be any bytes
}

PeerInfo decode(std::span<const std::byte> bytes, std::size_t rank) {
  try {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const json parsed = json::parse(text);
    return {parsed.at("host"), parsed.at("memory"),   parsed.at("machine"),
            parsed.at("cpus"), parsed.at("settings"), parsed.at("error")};
  } catch (const json::exception& error) {
    throw Error(
        ErrorCode::Mismatch,
        fmt::format("rank {} sent an introduction that cannot be read ({}); do all ranks use "
                    "the same version of the library?",
                    rank, error.what()));
  }
}

}  // namespace

std::string machine_identity() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

std::string host_identity(const Config& config) {
  if (!config.host_id.empty()) return config.host_id;
  std::string id = machine_identity();
  if (id.empty()) {
    throw Error(
        ErrorCode::Resource,
        "cannot read /proc/sys/kernel/random/boot_id; set ROCE_HOSTID to a name of this host");
  }
  return id;
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

std::string agreed_settings(const Config& config) {
  return fmt::format(
      "protocol=1 ROCE_SLOT_MEMORY={} ROCE_SEGMENT={} ROCE_TRANSPORT={} "
      "ROCE_NUMERICS={} ROCE_SCHEDULE={} ROCE_FLAG_MODE={} ROCE_STRIPE_ABOVE={}",
      config.slot_memory, config.segment, to_string(config.transport), to_string(config.numerics),
      config.schedule, to_string(config.flag_mode), config.stripe_above);
}

std::vector<PeerInfo> exchange(Bootstrap& bootstrap, const PeerInfo& mine) {
  const std::string text = encode(mine);
  const auto answers = bootstrap.all_gather(std::as_bytes(std::span(text)));
  std::vector<PeerInfo> peers;
  peers.reserve(answers.size());
  for (std::size_t rank = 0; rank < answers.size(); ++rank) {
    peers.push_back(decode(answers[rank], rank));
  }
  for (std::size_t rank = 0; rank < peers.size(); ++rank) {
    if (!peers[rank].error.empty()) {
      throw Error(ErrorCode::Resource, fmt::format("rank {}: {}", rank, peers[rank].error));
    }
    if (peers[rank].settings != peers[0].settings) {
      throw Error(ErrorCode::Mismatch,
                  fmt::format("ranks 0 and {} have different settings, which must be equal: "
                              "'{}' and '{}'",
                              rank, peers[0].settings, peers[rank].settings));
    }
  }
  return peers;
}

bool oversubscribed(const std::vector<PeerInfo>& peers, const std::string& machine) {
  std::set<int> cpus;
  std::size_t ranks = 0;
  for (const PeerInfo& peer : peers) {
    if (peer.machine != machine) continue;
    ++ranks;
    cpus.insert(peer.cpus.begin(), peer.cpus.end());
  }
  // A rank that could not tell its processors says nothing about the others.
  return !cpus.empty() && ranks > cpus.size();
}

}  // namespace roce::runtime

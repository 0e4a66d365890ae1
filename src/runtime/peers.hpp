// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "roce/bootstrap.hpp"
#include "roce/config.hpp"

namespace roce::runtime {

/// What a rank tells the others when a communicator is made.
struct PeerInfo {
  std::string host;       ///< equal on ranks that can share memory
  std::string memory;     ///< name of its slot memory
  std::string machine;    ///< equal on ranks that share processors
  std::vector<int> cpus;  ///< processors that it may run on
  std::string settings;   ///< what all ranks must agree on, as text
  std::string error;      ///< why it cannot go on, or empty
};

/// The kernel's boot id; empty when it cannot be read.
[[nodiscard]] std::string machine_identity();
/// The host that this rank plays: `config.host_id`, or the machine's identity. Throws Error
/// (Resource) when there is neither.
[[nodiscard]] std::string host_identity(const Config& config);
/// The processors that this thread may run on.
[[nodiscard]] std::vector<int> allowed_cpus();
/// The settings that must be equal on all ranks, as text.
[[nodiscard]] std::string agreed_settings(const Config& config);

/// Exchanges infos. Throws Error: Mismatch naming the ranks and what differs, or what a rank gave
/// as its error (the same on every rank).
[[nodiscard]] std::vector<PeerInfo> exchange(Bootstrap& bootstrap, const PeerInfo& mine);

/// True when the ranks on `machine` are more than the processors that they may run on together.
[[nodiscard]] bool oversubscribed(const std::vector<PeerInfo>& peers, const std::string& machine);

}  // namespace roce::runtime

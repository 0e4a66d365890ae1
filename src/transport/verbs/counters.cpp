// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/counters.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string_view>

namespace roce::transport::verbs {
namespace {

/// Of mlx5 and rxe, whose names other drivers follow.
constexpr std::array<std::string_view, 19> telling{"completer_retry_err",
                                                   "duplicate_request",
                                                   "implied_nak_seq_err",
                                                   "link_downed",
                                                   "local_ack_timeout_err",
                                                   "np_cnp_sent",
                                                   "out_of_buffer",
                                                   "out_of_seq_request",
                                                   "out_of_sequence",
                                                   "packet_seq_err",
                                                   "rcvd_rnr_err",
                                                   "rcvd_seq_err",
                                                   "req_cqe_error",
                                                   "resp_cqe_error",
                                                   "retry_exceeded_err",
                                                   "rnr_nak_retry_err",
                                                   "retry_rnr_exceeded_err",
                                                   "rp_cnp_handled",
                                                   "send_err"};

}  // namespace

std::filesystem::path ports_folder(const std::string& device) {
  return std::filesystem::path("/sys/class/infiniband") / device / "ports";
}

PortCounters::PortCounters(const std::filesystem::path& ports, int port)
    : folder_(ports / std::to_string(port) / "hw_counters"), start_(read()) {}

PortCounters::Values PortCounters::read() const {
  Values values;
  for (const std::string_view name : telling) {
    std::uint64_t value = 0;
    if (std::ifstream(folder_ / name) >> value) values.emplace(name, value);
  }
  return values;
}

std::string PortCounters::changes() const {
  std::string text;
  for (const auto& [name, value] : read()) {
    const auto before = start_.find(name);
    // A counter may be reset by others meanwhile.
    if (before == start_.end() || value <= before->second) continue;
    text += fmt::format("{}{} +{}", text.empty() ? "" : ", ", name, value - before->second);
  }
  return text;
}

}  // namespace roce::transport::verbs

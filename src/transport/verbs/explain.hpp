// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <infiniband/verbs.h>

#include <string>

#include "src/transport/verbs/port_info.hpp"

namespace roce::transport::verbs {

/// One end of a connection, for messages.
struct EndText {
  std::string port;  ///< "mlx5_0:1"
  std::string gid;   ///< "10.0.0.1"
  int gid_index = 0;
  std::string netdev;
};

/// Who is connected with whom by which ports.
struct LinkText {
  int rank = 0;
  int peer = 0;
  EndText local;
  EndText remote;
};

/// "rank 1 over mlx5_0:1 (10.0.0.1, GID index 3, enp1s0) to mlx5_1:1 (...)".
[[nodiscard]] std::string to_string(const LinkText& link);
[[nodiscard]] EndText end_text(const PortInfo& port, const GidInfo& gid);

[[nodiscard]] std::string errno_text(int error);

/// Why ibv_modify_qp to `state` ("RTR") failed with `error`, and what to check. One sentence.
[[nodiscard]] std::string explain_modify(const LinkText& link, const char* state, int error);

/// Why ibv_post_send was refused. One sentence.
[[nodiscard]] std::string explain_post(const LinkText& link, int error);

/// Why a write or a receive completed with `status`, and what to check. One sentence.
[[nodiscard]] std::string explain_completion(const LinkText& link, ibv_wc_status status,
                                             unsigned vendor_error);

}  // namespace roce::transport::verbs

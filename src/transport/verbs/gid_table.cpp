// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/gid_table.hpp"

#include <cstddef>

namespace roce::transport::verbs {

std::vector<ibv_gid_entry> gid_table(const Context& context) {
  std::size_t room = 0;
  const ibv_device_attr attributes = context.attributes();
  for (int port = 1; port <= attributes.phys_port_cnt; ++port) {
    ibv_port_attr info{};
    if (library().query_port(context.get(), static_cast<std::uint8_t>(port), info) == 0) {
      room += static_cast<std::size_t>(info.gid_tbl_len);
    }
  }
  std::vector<ibv_gid_entry> entries(room);
  const auto count =
      library().query_gid_table(context.get(), entries.data(), room, 0, sizeof(ibv_gid_entry));
  entries.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return entries;
}

}  // namespace roce::transport::verbs

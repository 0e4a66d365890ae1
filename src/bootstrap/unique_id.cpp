// SPDX-License-Identifier: Apache-2.0
#include "roce/unique_id.hpp"

#include "roce/status.hpp"
#include "src/bootstrap/endpoint.hpp"
#include "src/bootstrap/handshake.hpp"
#include "src/bootstrap/socket.hpp"

namespace roce {

UniqueId UniqueId::generate(std::string_view host) {
  UniqueId id;
  id.host = host;
  if (host.empty()) {
    const auto addresses = bootstrap::local_addresses();
    id.host = addresses.empty() ? "127.0.0.1" : addresses.front().host();
  }
  id.port = bootstrap::Listener::for_host(id.host, 0).address().port();
  id.secret = bootstrap::random_secret();
  return id;
}

std::string UniqueId::to_string() const {
  return bootstrap::endpoint_text(host, port) + "/" + bootstrap::secret_text(secret);
}

UniqueId UniqueId::parse(std::string_view text) {
  const bootstrap::Endpoint endpoint = bootstrap::parse_endpoint(text);
  if (!endpoint.secret) {
    throw Error(ErrorCode::InvalidArgument,
                "'" + std::string(text) +
                    "' is no unique id: the secret is missing; write host:port/" +
                    "32 hexadecimal digits");
  }
  return {.host = endpoint.host, .port = endpoint.port, .secret = *endpoint.secret};
}

}  // namespace roce

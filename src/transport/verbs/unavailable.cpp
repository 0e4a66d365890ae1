// SPDX-License-Identifier: Apache-2.0
// Stands in for the verbs transport in a build without the headers of libibverbs.
#include <utility>

#include "roce/status.hpp"
#include "src/transport/verbs/connect.hpp"
#include "src/transport/verbs/devices.hpp"
#include "src/transport/verbs/handshake.hpp"
#include "src/transport/verbs/hca_filter.hpp"

namespace roce::transport::verbs {
namespace {

constexpr const char* reason =
    "this build has no verbs; install libibverbs-dev, configure and build again";

}  // namespace

class Links {
 public:
  std::byte* memory = nullptr;
};

// connect() makes only transports without peers here, so there is nothing to carry.
Transport::Transport(std::unique_ptr<Links> links)
    : links_(std::move(links)),
      memory_(links_->memory),
      mode_(FlagMode::Flag),
      completed_(nullptr) {}
Transport::~Transport() = default;
bool Transport::put(int, std::size_t, const std::byte*, std::size_t, Flag) noexcept {
  return false;
}
bool Transport::flushed(int) noexcept { return false; }
void Transport::poll() noexcept {}
void Transport::clear(std::size_t, std::size_t) noexcept {}
std::optional<Failure> Transport::failure() noexcept { return std::nullopt; }
Path Transport::describe(int) const { return {}; }
std::size_t Transport::extra_pinned_bytes() const noexcept { return 0; }

FoundPorts find_ports(const Config& config) {
  static_cast<void>(HcaFilter(config.hca));
  return {.ports = {}, .reasons = {reason}};
}

std::string no_ports_text(const FoundPorts& found) { return found.reasons.front(); }

std::unique_ptr<Transport> connect(Bootstrap& bootstrap, const Config&, std::span<std::byte> memory,
                                   const std::vector<std::vector<PortInfo>>&,
                                   std::span<const int> peers) {
  Offer mine;
  if (!peers.empty()) {
    mine.code = ErrorCode::Unsupported;
    mine.error = reason;
  }
  static_cast<void>(exchange(bootstrap, mine));
  static_cast<void>(exchange(bootstrap, Offer{}));
  auto links = std::make_unique<Links>();
  links->memory = memory.data();
  return std::make_unique<Transport>(std::move(links));
}

}  // namespace roce::transport::verbs

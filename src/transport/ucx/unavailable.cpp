// SPDX-License-Identifier: Apache-2.0
// Stands in for the UCX transport in a build without the headers of UCX.
#include <cstring>

#include "src/transport/ucx/connect.hpp"
#include "src/transport/ucx/handshake.hpp"

namespace roce::transport::ucx {

class Links {};

// connect() makes only transports without peers here, so there is nothing to carry.
Transport::Transport(std::byte* memory, std::unique_ptr<Links> links)
    : memory_(memory), links_(std::move(links)) {}
Transport::~Transport() = default;
bool Transport::put(int, std::size_t, const std::byte*, std::size_t, Flag) noexcept {
  return false;
}
bool Transport::flushed(int) noexcept { return true; }
void Transport::poll() noexcept {}
void Transport::clear(std::size_t begin, std::size_t end) noexcept {
  std::memset(memory_ + begin, 0, end - begin);
}
std::optional<Failure> Transport::failure() noexcept { return std::nullopt; }
Path Transport::describe(int) const { return {"ucx", "ucx", {}}; }

std::unique_ptr<Transport> connect(Bootstrap& bootstrap, const Config&, std::span<std::byte> memory,
                                   std::span<const int> peers) {
  Offer mine;
  if (!peers.empty()) {
    mine.code = ErrorCode::Unsupported;
    mine.error = "this build has no UCX; install libucx-dev, configure and build again";
  }
  static_cast<void>(exchange(bootstrap, mine));
  static_cast<void>(exchange(bootstrap, Offer{}));
  return std::make_unique<Transport>(memory.data(), nullptr);
}

}  // namespace roce::transport::ucx

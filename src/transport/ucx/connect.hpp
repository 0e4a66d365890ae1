// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "roce/bootstrap.hpp"
#include "roce/config.hpp"
#include "src/transport/ucx/transport.hpp"

namespace roce::transport::ucx {

/// Connects this rank with `peers` (ranks, ascending) over UCX, and with nobody else. `memory` is
/// this rank's slot memory: of one size and layout on all ranks, zeroed, and alive longer than the
/// transport. What UCX may use is up to its own variables (UCX_TLS, UCX_NET_DEVICES and so on).
///
/// Collective over all ranks of the bootstrap, those without UCX peers included. When one rank
/// fails, all throw the same roce::Error, which names the ranks that failed and why: Unsupported
/// without UCX, Resource when it finds nothing to use, Transport when a peer is not reached,
/// Mismatch when settings differ. Bounded by the connect timeout.
[[nodiscard]] std::unique_ptr<Transport> connect(Bootstrap& bootstrap, const Config& config,
                                                 std::span<std::byte> memory,
                                                 std::span<const int> peers);

}  // namespace roce::transport::ucx

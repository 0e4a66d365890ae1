// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <span>

#include "src/bootstrap/mesh.hpp"

namespace roce::bootstrap {

/// A fresh rendezvous of some of the ranks of a mesh, whose other ranks may be dead. The lowest
/// survivor listens at a new port and invites the others over the old connections; the new secret
/// is derived from the old one and a nonce, so that it does not travel.
struct Shrinking {
  int rank = 0;  ///< this rank's old number
  std::span<const int> survivors;
  Secret secret{};  ///< of the old mesh
  std::chrono::milliseconds timeout{0};
};

/// What comes out of it. Connections are by new rank.
struct Shrunk {
  UniqueId id;
  Connections connections;
};

/// Throws Error: like a rendezvous, PeerFailed when a survivor is gone, Mismatch when the ranks do
/// not name the same survivors.
[[nodiscard]] Shrunk shrink_mesh(Mesh& mesh, const Shrinking& shrinking);

}  // namespace roce::bootstrap

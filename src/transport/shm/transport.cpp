// SPDX-License-Identifier: Apache-2.0
#include "src/transport/shm/transport.hpp"

#include <utility>

namespace roce::transport::shm {

static_assert(roce::transport::SharingTransport<Transport>);

Transport::Transport(int rank, std::vector<std::shared_ptr<Mapping>> mappings)
    : memory_(mappings[static_cast<std::size_t>(rank)]->data()), mappings_(std::move(mappings)) {
  bases_.reserve(mappings_.size());
  for (const auto& mapping : mappings_) bases_.push_back(mapping ? mapping->data() : nullptr);
}

}  // namespace roce::transport::shm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "src/transport/verbs/memory_region.hpp"
#include "src/transport/verbs/queues.hpp"

namespace roce::transport::verbs {

/// All that a rank holds of one device, but for its queue pairs. Stays where it is.
class Adapter {
 public:
  struct Needs {
    std::span<std::byte> slots;   ///< the slot memory
    std::size_t connections = 0;  ///< queue pairs that will be made
    std::size_t receives = 0;  ///< writes with immediate that may be unpolled; 0 without imm mode
  };
  /// Opens the device, registers the slot memory and posts the receives. Throws roce::Error
  /// (Resource).
  Adapter(const std::string& device, const Needs& needs);
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  /// Registers the memory of gaps and flag words. Throws roce::Error (Resource).
  void register_words(std::span<std::byte> words);

  [[nodiscard]] const Context& context() const noexcept { return context_; }
  [[nodiscard]] const ProtectionDomain& domain() const noexcept { return domain_; }
  [[nodiscard]] std::uint32_t slots_local_key() const noexcept { return slots_.local_key(); }
  [[nodiscard]] std::uint32_t slots_remote_key() const noexcept { return slots_.remote_key(); }
  [[nodiscard]] std::uint32_t words_key() const noexcept { return words_->local_key(); }
  [[nodiscard]] CompletionQueue& sends() noexcept { return sends_; }
  [[nodiscard]] CompletionQueue& completed_receives() noexcept { return completed_receives_; }
  /// Null without imm mode.
  [[nodiscard]] SharedReceiveQueue* receives() noexcept {
    return receives_ ? &*receives_ : nullptr;
  }

 private:
  Context context_;
  ProtectionDomain domain_;
  MemoryRegion slots_;
  CompletionQueue sends_;
  CompletionQueue completed_receives_;
  std::optional<SharedReceiveQueue> receives_;
  std::optional<MemoryRegion> words_;
};

}  // namespace roce::transport::verbs

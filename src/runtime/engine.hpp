// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "roce/status.hpp"
#include "src/runtime/lane.hpp"
#include "src/transport/transport.hpp"

namespace roce::runtime {

/// Runs the requests of all lanes over one transport. The only indirect call of a collective goes
/// through here; see executor.hpp for the implementation. One thread at a time.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Queues the request on its lane and runs it as far as it goes, polling a wait at most `polls`
  /// times.
  virtual void start(Lane& lane, Request& request, unsigned polls) noexcept = 0;
  /// Runs everything in flight as far as it goes, polling each blocked wait at most `polls` times.
  /// True when anything moved.
  virtual bool progress(unsigned polls) noexcept = 0;
  /// Forgets everything in flight; for a poisoned communicator.
  virtual void drop() noexcept = 0;
  [[nodiscard]] virtual bool idle() const noexcept = 0;

  /// The oldest blocked operation of the lane that has been active longest, for messages. Null
  /// members when nothing is in flight.
  struct Blocked {
    const Lane* lane = nullptr;
    const FlatOp* op = nullptr;
    const FlatOp* end = nullptr;  ///< of its program
    const Request* request = nullptr;
    transport::Flag epoch = 0;
  };
  [[nodiscard]] virtual Blocked blocked() const noexcept = 0;
  /// True when the operation that blocked() gives could go on now.
  [[nodiscard]] virtual bool unblocked() noexcept = 0;
  /// True when that operation, or one of the waits right after it, waits for a rank that needs this
  /// very processor to go on.
  [[nodiscard]] virtual bool waits_for_neighbour() const noexcept = 0;
  /// To be called after giving way: this thread may run elsewhere now.
  virtual void resumed() noexcept = 0;

  /// The transport's function of that name.
  virtual void clear(std::size_t begin, std::size_t end) noexcept = 0;
  /// The transport's traits of those names; see transport.hpp.
  [[nodiscard]] virtual bool reads_source_at_once() const noexcept = 0;
  [[nodiscard]] virtual bool shares_slots() const noexcept = 0;
  [[nodiscard]] virtual std::string_view transport_name() const noexcept = 0;
  /// The transport's functions of those names.
  [[nodiscard]] virtual std::optional<Failure> failure() noexcept = 0;
  [[nodiscard]] virtual transport::Path describe(int peer) const = 0;
};

}  // namespace roce::runtime

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "roce/communicator.hpp"
#include "src/runtime/communicator_impl.hpp"
#include "src/runtime/flat_program.hpp"
#include "src/runtime/lane.hpp"
#include "src/schedule/verifier.hpp"

namespace roce {

/// The state behind a Plan; the lane links to its request while it is in flight, so it never moves.
class Plan::Impl {
 public:
  /// Throws Error.
  Impl(Communicator::Impl& communicator, const CollectiveSpec& spec);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Status start(const void* in, void* out) noexcept;
  std::optional<Status> test() noexcept;
  Status wait() noexcept;
  Status run(const void* in, void* out) noexcept;

  [[nodiscard]] const CollectiveSpec& spec() const noexcept { return spec_; }
  [[nodiscard]] const PlanInfo& info() const noexcept { return info_; }

 private:
  void bind();
  /// Whether a new operation can begin as things are; make_ready() then makes it so or says why
  /// not.
  [[nodiscard]] bool ready(const void* in, const void* out) noexcept;
  [[nodiscard]] Status make_ready(const void* in, const void* out) noexcept;
  [[nodiscard]] bool buffers_fit(const void* in, const void* out) const noexcept;
  [[nodiscard]] Status explain_buffers(const void* in, const void* out) const;
  /// `polls` as in Engine::start.
  void begin(const void* in, void* out, unsigned polls) noexcept;
  /// Runs until the operation is done; `polled`: its waits have just been polled in vain.
  [[nodiscard]] Status finish(bool polled) noexcept;
  [[nodiscard]] Status rebind() noexcept;

  Communicator::Impl& communicator_;
  CollectiveSpec spec_;
  schedule::VerifiedSchedule schedule_;
  runtime::Lane* lane_ = nullptr;
  std::uint64_t generation_ = 0;  ///< of the lane table that lane_ belongs to
  std::size_t in_bytes_ = 0;
  std::size_t out_bytes_ = 0;
  bool reads_in_ = true;                  ///< false where a broadcast only writes
  std::uintptr_t in_place_distance_ = 0;  ///< from out to in when the call is in place
  runtime::FlatProgram full_;
  runtime::FlatProgram last_;
  runtime::Request request_;
  PlanInfo info_;
  bool in_flight_ = false;
};

}  // namespace roce

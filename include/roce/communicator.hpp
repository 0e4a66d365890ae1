// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "roce/bootstrap.hpp"
#include "roce/config.hpp"
#include "roce/export.hpp"
#include "roce/launch.hpp"
#include "roce/status.hpp"
#include "roce/types.hpp"

namespace roce {

class Plan;

/// What a collective is to do, apart from the buffers. All ranks must give the same values (except
/// a PremulSum's factor).
struct CollectiveSpec {
  Collective collective = Collective::AllReduce;
  /// Elements. All-reduce and broadcast: of the vector. All-gather: that each rank sends.
  /// Reduce-scatter: that each rank receives. Barrier: ignored.
  std::size_t count = 0;
  DataType type = DataType::Float32;
  ReduceOp op = ReduceOp::Kind::Sum;
  int root = 0;          ///< broadcast only
  std::string schedule;  ///< a name from `rocectl schedule list`; empty chooses

  friend bool operator==(const CollectiveSpec&, const CollectiveSpec&) = default;
};

/// What was chosen for a plan.
struct PlanInfo {
  std::string schedule;  ///< for example "all_reduce/one_shot"
  Numerics numerics = Numerics::Agreed;
  int hops = 0;                   ///< network hops on the longest path
  int depth = 0;                  ///< copies of each slot
  std::size_t segment_bytes = 0;  ///< bytes of the vector that go through the schedule at a time
  std::size_t segments = 0;
};

/// A group of ranks that communicate. Move-only. One thread at a time may use a communicator and
/// its plans, except abort(), which any thread may call at any time.
///
/// Every rank must make the same calls in the same order. Buffers may have any alignment. In-place
/// forms: all-reduce and broadcast with in == out; all-gather with in == out + rank * count;
/// reduce-scatter with out == in + rank * count. Other overlaps are errors.
///
/// After a failure in flight the communicator is poisoned: that call and every later one returns
/// the same failure on this rank, and peers are told. shrink() or a new communicator goes on.
class ROCE_API Communicator {
 public:
  /// Collective over all ranks of the bootstrap. Throws Error, on every rank when any rank fails.
  explicit Communicator(std::unique_ptr<Bootstrap> bootstrap,
                        Config config = Config::from_environment());
  /// From the launcher's environment; see launch_from_environment.
  [[nodiscard]] static Communicator from_environment();
  /// Leaves the group; peers that still wait for this rank get PeerFailed. Plans must be gone.
  ~Communicator();
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;

  /// This rank, 0..size() - 1.
  [[nodiscard]] int rank() const noexcept;
  /// The number of ranks.
  [[nodiscard]] int size() const noexcept;
  /// The settings in force.
  [[nodiscard]] const Config& config() const noexcept;
  /// The transport in use, for example "shm".
  [[nodiscard]] std::string_view transport() const noexcept;
  /// Bytes of slot memory that this rank holds.
  [[nodiscard]] std::size_t pinned_bytes() const noexcept;

  /// A collective prepared once and run many times. Collective: may wait for the other ranks to
  /// make the same call, within the deadline. Throws Error. The plan must not outlive the
  /// communicator.
  [[nodiscard]] Plan plan(const CollectiveSpec& spec);

  /// Blocking forms, through a cache of plans. `in` and `out` hold `count` elements, except that
  /// all_gather's `out` and reduce_scatter's `in` hold size() * count. Errors in the arguments are
  /// returned as InvalidArgument and do not poison.
  Status all_reduce(const void* in, void* out, std::size_t count, DataType type,
                    ReduceOp op = ReduceOp::Kind::Sum);
  Status all_gather(const void* in, void* out, std::size_t count, DataType type);
  Status reduce_scatter(const void* in, void* out, std::size_t count, DataType type,
                        ReduceOp op = ReduceOp::Kind::Sum);
  /// `in` is read on the root only and may be null elsewhere.
  Status broadcast(const void* in, void* out, std::size_t count, DataType type, int root);
  /// Returns once every rank has called it.
  Status barrier();

  /// Ends every wait of this communicator, here and on the peers, with Aborted. Thread-safe.
  void abort(std::string_view reason = {}) noexcept;
  /// Ok, or the failure that poisoned this communicator.
  [[nodiscard]] Status status() const;
  /// A communicator of `survivors` (old ranks, ascending, this one among them), renumbered in that
  /// order. Collective over the survivors; this communicator is poisoned by it. Throws Error.
  [[nodiscard]] Communicator shrink(std::span<const int> survivors);

  class Impl;

 private:
  explicit Communicator(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

/// A collective that is compiled for its size and type. Move-only; use under the communicator's
/// thread rule. At most one operation of a plan is in flight at a time; different plans of one
/// communicator may be in flight together, started in the same order on every rank.
class ROCE_API Plan {
 public:
  /// Waits for an operation in flight, within the deadline.
  ~Plan();
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;

  /// start() and wait().
  Status run(const void* in, void* out) noexcept;
  /// Begins the operation and returns soon; only when slot memory had to be shared out anew since
  /// the last time it waits for the other ranks to start too. The buffers belong to it until test()
  /// or wait() says that it has ended. InvalidArgument when one is in flight already or a buffer is
  /// null.
  Status start(const void* in, void* out) noexcept;
  /// Makes progress without blocking. Empty while the operation is in flight. Passing a deadline
  /// ends it too, so a caller that only tests does not hang; finding out whom to blame then takes
  /// up to 0.4 s. The deadline counts from when anything of this communicator last moved.
  [[nodiscard]] std::optional<Status> test() noexcept;
  /// Blocks until the operation ends, the deadline passes or a peer reports a failure.
  Status wait() noexcept;

  /// What it does, and what was chosen for that.
  [[nodiscard]] const CollectiveSpec& spec() const noexcept;
  [[nodiscard]] PlanInfo info() const;

  class Impl;

 private:
  friend class Communicator;
  explicit Plan(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace roce

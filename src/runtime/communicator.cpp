// SPDX-License-Identifier: Apache-2.0
#include "roce/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "src/base/setting_types.hpp"
#include "src/runtime/communicator_impl.hpp"
#include "src/runtime/flat_program.hpp"
#include "src/runtime/group.hpp"
#include "src/runtime/plan_impl.hpp"
#include "src/schedule/selection.hpp"

namespace roce {
namespace {

std::unique_ptr<Bootstrap> checked(std::unique_ptr<Bootstrap> bootstrap) {
  if (!bootstrap) throw Error(ErrorCode::InvalidArgument, "Communicator: the bootstrap is null");
  if (bootstrap->size() > runtime::max_ranks) {
    throw Error(ErrorCode::Unsupported, fmt::format("{} ranks; a communicator has at most {}",
                                                    bootstrap->size(), runtime::max_ranks));
  }
  return bootstrap;
}

/// The spec with defaults for what its collective does not look at.
CollectiveSpec without_ignored(CollectiveSpec spec) {
  if (spec.collective != Collective::Broadcast) spec.root = 0;
  if (spec.collective == Collective::Barrier) spec.count = 0;
  return spec;
}

[[noreturn]] void out_of_range(std::string_view what) {
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("Config: {} is out of range; `rocectl config` prints the bounds", what));
}

/// Settings from files and the environment are checked when they are read, those from code here.
Config checked(Config config) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  const auto bad_timeout = [](milliseconds value) {
    return value < milliseconds(1) || value > hours(24);
  };
  if (bad_timeout(config.timeout)) out_of_range("timeout");
  if (bad_timeout(config.connect_timeout)) out_of_range("connect_timeout");
  if (config.spin < std::chrono::microseconds(-1) || config.spin > std::chrono::seconds(60)) {
    out_of_range("spin");
  }
  constexpr std::size_t gib = std::size_t{1} << 30U;
  if (config.segment != 0 && (config.segment < 64 || config.segment > gib)) out_of_range("segment");
  return config;
}

Status refuse(std::string message, ErrorCode code = ErrorCode::InvalidArgument) {
  Failure failure;
  failure.code = code;
  failure.message = std::move(message);
  return Status(std::move(failure));
}

}  // namespace

Communicator::Impl::Impl(std::unique_ptr<Bootstrap> bootstrap, Config config)
    : config_(checked(std::move(config))),
      bootstrap_(checked(std::move(bootstrap))),
      rank_(bootstrap_->rank()),
      size_(bootstrap_->size()),
      fabric_(topology::Fabric::make(topology::FabricClass::Mesh, size_)) {
  connect();
}

Communicator::Impl::~Impl() = default;

void Communicator::Impl::connect() {
  runtime::Group group = runtime::connect(*bootstrap_, config_);
  fabric_ = std::move(group.fabric);
  slot_bytes_ = group.slot_bytes;
  pinned_bytes_ = group.pinned_bytes;
  engine_ = std::move(group.engine);
  lanes_ = std::make_unique<runtime::LaneTable>(slot_bytes_, config_.segment);
  runtime::WaitPolicy policy;
  policy.timeout = config_.timeout;
  policy.crowded = group.crowded;
  if (policy.crowded) policy.polls = 2;
  policy.spin = config_.spin.count() >= 0 ? config_.spin
                : policy.crowded          ? std::chrono::microseconds(1)
                                          : std::chrono::microseconds(100);
  if (base::has_word(config_.debug, "init")) {
    fmt::print(stderr, "roce: rank {} of {}: {}, {} of {} ranks, {} bytes pinned{}\n", rank_, size_,
               engine_->transport_name(), topology::to_string(fabric_.fabric_class()), size_,
               pinned_bytes_, policy.crowded ? ", gives way at once" : "");
  }
  watchdog_ =
      std::make_unique<runtime::Watchdog>(size_ > 1 ? bootstrap_.get() : nullptr, rank_, policy);
  CollectiveSpec barrier;
  barrier.collective = Collective::Barrier;
  barrier_ = std::make_unique<Plan::Impl>(*this, barrier);
  lanes_->keep();
}

schedule::VerifiedSchedule Communicator::Impl::choose(const CollectiveSpec& spec) const {
  const bool blocked =
      spec.collective == Collective::AllGather || spec.collective == Collective::ReduceScatter;
  schedule::Question question;
  question.collective = spec.collective;
  question.bytes =
      spec.count * size_of(spec.type) * (blocked ? static_cast<std::size_t>(size_) : 1);
  question.root = spec.root;
  question.weakest = config_.numerics;
  if (!spec.schedule.empty()) return schedule::select_named(question, spec.schedule, fabric_);
  if (schedule::serves(config_.schedule, spec.collective)) {
    return schedule::select_named(question, config_.schedule, fabric_);
  }
  return schedule::select(question, fabric_);
}

runtime::Lane& Communicator::Impl::lane(const schedule::VerifiedSchedule& schedule) {
  runtime::Lane* lane = lanes_->acquire(schedule);
  if (lane == nullptr) {
    recycle_slots();
    lane = lanes_->acquire(schedule);
  }
  return *lane;
}

void Communicator::Impl::recycle_slots() {
  drain().throw_if_failed();
  // After the first barrier no rank has anything in flight; after the second all flags are zero.
  barrier_->run(nullptr, nullptr).throw_if_failed();
  engine_->clear(lanes_->kept_bytes(), slot_bytes_);
  barrier_->run(nullptr, nullptr).throw_if_failed();
  lanes_->clear();
}

Status Communicator::Impl::drain() noexcept {
  while (!engine_->idle()) {
    if (engine_->progress(watchdog_->policy().polls)) {
      watchdog_->moved();
    } else if (!watchdog_->idle(*engine_, true)) {
      engine_->drop();
    }
  }
  return watchdog_->status();
}

Status Communicator::Impl::validate(const CollectiveSpec& spec) const noexcept {
  if (static_cast<int>(spec.collective) >= collective_count) {
    return refuse(fmt::format("collective {} is unknown", static_cast<int>(spec.collective)));
  }
  if (spec.collective == Collective::Broadcast && (spec.root < 0 || spec.root >= size_)) {
    return refuse(fmt::format("broadcast: root {} is not in 0..{}", spec.root, size_ - 1));
  }
  if (static_cast<int>(spec.type) >= data_type_count) {
    return refuse(fmt::format("element type {} is unknown", static_cast<int>(spec.type)));
  }
  if (static_cast<int>(spec.op.kind()) >= reduce_op_count) {
    return refuse(fmt::format("operator {} is unknown", static_cast<int>(spec.op.kind())));
  }
  constexpr std::size_t most = std::size_t{1} << 48;
  if (spec.count > most / size_of(spec.type) / static_cast<std::size_t>(size_)) {
    return refuse(fmt::format("{} elements are more than memory can hold", spec.count));
  }
  return {};
}

Status Communicator::Impl::cannot_prepare(ErrorCode code, std::string_view reason) noexcept {
  // What is wrong with the arguments is wrong on every rank; anything else is this rank's trouble.
  if (code == ErrorCode::InvalidArgument || code == ErrorCode::Unsupported) {
    Failure failure;
    failure.code = code;
    failure.message = reason;
    return Status(std::move(failure));
  }
  Failure failure;
  failure.code = code;
  failure.reporter = rank_;
  failure.message = fmt::format("rank {} cannot prepare a collective: {}", rank_, reason);
  watchdog_->poison(std::move(failure));
  return watchdog_->status();
}

Status Communicator::Impl::run(const CollectiveSpec& spec, const void* in, void* out) noexcept {
  Plan::Impl* plan = plans_.find(spec);
  if (plan == nullptr) {
    if (Status status = validate(spec); !status.ok()) return status;
    if (!watchdog_->healthy()) return watchdog_->status();
    try {
      plan = plans_.insert(std::make_unique<Plan::Impl>(*this, spec));
    } catch (const Error& error) {
      return cannot_prepare(static_cast<ErrorCode>(error.code().value()), error.what());
    } catch (const std::exception& error) {
      return cannot_prepare(ErrorCode::Resource, error.what());
    }
  }
  return plan->run(in, out);
}

std::unique_ptr<Communicator::Impl> Communicator::Impl::shrink(std::span<const int> survivors) {
  // What is wrong here must not cost the others their communicator.
  const bool ascending = std::is_sorted(survivors.begin(), survivors.end()) &&
                         std::adjacent_find(survivors.begin(), survivors.end()) == survivors.end();
  const bool mine = std::find(survivors.begin(), survivors.end(), rank_) != survivors.end();
  if (!ascending || !mine || survivors.front() < 0 || survivors.back() >= size_) {
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format("shrink: survivors must be ranks of 0..{}, ascending, rank {} among them",
                    size_ - 1, rank_));
  }
  watchdog_->abort("it was shrunk");
  if (!watchdog_->healthy()) engine_->drop();
  return std::make_unique<Impl>(bootstrap_->shrink(survivors), config_);
}

Communicator::Communicator(std::unique_ptr<Bootstrap> bootstrap, Config config)
    : impl_(std::make_unique<Impl>(std::move(bootstrap), std::move(config))) {}
Communicator::Communicator(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Communicator::~Communicator() = default;
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;

Communicator Communicator::from_environment() {
  Config config = Config::from_environment();
  const LaunchInfo launch = launch_from_environment();
  auto bootstrap =
      make_tcp_bootstrap(launch.rendezvous, launch.rank, launch.size, config.connect_timeout);
  return Communicator(std::move(bootstrap), std::move(config));
}

int Communicator::rank() const noexcept { return impl_->rank(); }
int Communicator::size() const noexcept { return impl_->size(); }
const Config& Communicator::config() const noexcept { return impl_->config(); }
std::string_view Communicator::transport() const noexcept {
  return impl_->engine().transport_name();
}
std::size_t Communicator::pinned_bytes() const noexcept { return impl_->pinned_bytes(); }

Plan Communicator::plan(const CollectiveSpec& spec) {
  const CollectiveSpec used = without_ignored(spec);
  impl_->validate(used).throw_if_failed();
  impl_->watchdog().current().throw_if_failed();
  try {
    return Plan(std::make_unique<Plan::Impl>(*impl_, used));
  } catch (const Error& error) {
    static_cast<void>(
        impl_->cannot_prepare(static_cast<ErrorCode>(error.code().value()), error.what()));
    throw;
  } catch (const std::exception& error) {
    impl_->cannot_prepare(ErrorCode::Resource, error.what()).throw_if_failed();
    throw;
  }
}

Status Communicator::all_reduce(const void* in, void* out, std::size_t count, DataType type,
                                ReduceOp op) {
  return impl_->run({Collective::AllReduce, count, type, op, 0, {}}, in, out);
}
Status Communicator::all_gather(const void* in, void* out, std::size_t count, DataType type) {
  return impl_->run({Collective::AllGather, count, type, ReduceOp::Kind::Sum, 0, {}}, in, out);
}
Status Communicator::reduce_scatter(const void* in, void* out, std::size_t count, DataType type,
                                    ReduceOp op) {
  return impl_->run({Collective::ReduceScatter, count, type, op, 0, {}}, in, out);
}
Status Communicator::broadcast(const void* in, void* out, std::size_t count, DataType type,
                               int root) {
  return impl_->run({Collective::Broadcast, count, type, ReduceOp::Kind::Sum, root, {}}, in, out);
}
Status Communicator::barrier() {
  return impl_->run({Collective::Barrier, 0, DataType::Uint8, ReduceOp::Kind::Sum, 0, {}}, nullptr,
                    nullptr);
}

void Communicator::abort(std::string_view reason) noexcept { impl_->watchdog().abort(reason); }
Status Communicator::status() const { return impl_->watchdog().current(); }
Communicator Communicator::shrink(std::span<const int> survivors) {
  return Communicator(impl_->shrink(survivors));
}

}  // namespace roce

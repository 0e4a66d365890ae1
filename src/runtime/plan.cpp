// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "src/base/setting_types.hpp"
#include "src/runtime/compiler.hpp"
#include "src/runtime/plan_impl.hpp"
#include "src/transport/slot.hpp"

namespace roce {
namespace {

using runtime::Binding;

bool blocked(Collective collective) {
  return collective == Collective::AllGather || collective == Collective::ReduceScatter;
}

Status invalid(std::string message) {
  Failure failure;
  failure.code = ErrorCode::InvalidArgument;
  failure.message = std::move(message);
  return Status(std::move(failure));
}

/// Elements of each segment: as equal as whole cache lines allow, none above `most`.
std::size_t even_share(std::size_t count, std::size_t most, std::size_t element_bytes) {
  if (count <= most) return std::max<std::size_t>(count, 1);
  const std::size_t segments = (count + most - 1) / most;
  const std::size_t line = transport::cache_line / element_bytes;
  return std::min(most, transport::align_up((count + segments - 1) / segments, line));
}

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

Plan::Impl::Impl(Communicator::Impl& communicator, const CollectiveSpec& spec)
    : communicator_(communicator), spec_(spec), schedule_(communicator.choose(spec)) {
  const std::size_t bytes = spec.count * size_of(spec.type);
  const auto ranks = static_cast<std::size_t>(communicator.size());
  in_bytes_ = bytes * (spec.collective == Collective::ReduceScatter ? ranks : 1);
  out_bytes_ = bytes * (spec.collective == Collective::AllGather ? ranks : 1);
  reads_in_ = spec.collective != Collective::Broadcast || spec.root == communicator.rank();
  const auto rank = static_cast<std::uintptr_t>(communicator.rank());
  if (spec.collective == Collective::AllGather) in_place_distance_ = rank * in_bytes_;
  if (spec.collective == Collective::ReduceScatter) in_place_distance_ = 0 - rank * out_bytes_;
  bind();
  if (base::has_word(communicator.config().debug, "plan")) {
    fmt::print(stderr, "roce: rank {}: {} of {} {}: {}, {} hops, {} numerics, {} segments\n", rank,
               to_string(spec_.collective), spec_.count, to_string(spec_.type), info_.schedule,
               info_.hops, to_string(info_.numerics), info_.segments);
  }
}

Plan::Impl::~Impl() {
  if (in_flight_) static_cast<void>(wait());
}

void Plan::Impl::bind() {
  lane_ = &communicator_.lane(schedule_);
  generation_ = communicator_.lanes().generation();
  const auto ranks = static_cast<std::size_t>(communicator_.size());
  const std::size_t element_bytes = size_of(spec_.type);
  const std::size_t blocks = blocked(spec_.collective) ? ranks : 1;
  const std::size_t most = lane_->layout.segment_bytes / element_bytes / blocks;
  const std::size_t share = even_share(spec_.count, most, element_bytes);
  Binding binding;
  binding.rank = communicator_.rank();
  binding.type = spec_.type;
  binding.op = spec_.op;
  binding.block_stride = spec_.count;
  binding.reads_source_at_once = communicator_.engine().reads_source_at_once();
  binding.shares_slots = communicator_.engine().shares_slots();
  request_.segments = spec_.count == 0 ? 1 : (spec_.count + share - 1) / share;
  request_.segment_step = share * element_bytes;
  binding.elements = share;
  if (request_.segments > 1) full_ = compile(schedule_, lane_->layout, binding);
  binding.elements = spec_.count - share * (request_.segments - 1);
  if (spec_.count == 0) binding.elements = 0;
  last_ = compile(schedule_, lane_->layout, binding);
  request_.full = &full_;
  request_.last = &last_;
  const schedule::ScheduleFacts& facts = schedule_.facts();
  info_ = {lane_->name,
           facts.numerics,
           facts.hops,
           static_cast<int>(lane_->copies),
           lane_->layout.segment_bytes,
           request_.segments};
}

Status Plan::Impl::rebind() noexcept {
  try {
    bind();
    return {};
  } catch (const Error& error) {
    return communicator_.cannot_prepare(static_cast<ErrorCode>(error.code().value()), error.what());
  } catch (const std::exception& error) {
    return communicator_.cannot_prepare(ErrorCode::Resource, error.what());
  }
}

bool Plan::Impl::buffers_fit(const void* in, const void* out) const noexcept {
  if (out_bytes_ == 0) return true;
  if (!reads_in_) return out != nullptr;
  const std::uintptr_t in_at = address(in);
  const std::uintptr_t out_at = address(out);
  const bool apart = in_at + in_bytes_ <= out_at || out_at + out_bytes_ <= in_at;
  return in != nullptr && out != nullptr && (apart || in_at - out_at == in_place_distance_);
}

Status Plan::Impl::explain_buffers(const void* in, const void* out) const {
  if ((reads_in_ && in == nullptr) || out == nullptr) {
    return invalid(fmt::format("{}: the {} buffer is null", to_string(spec_.collective),
                               out == nullptr ? "output" : "input"));
  }
  return invalid(fmt::format("{}: input and output overlap, but not as the in-place form does",
                             to_string(spec_.collective)));
}

bool Plan::Impl::ready(const void* in, const void* out) noexcept {
  return communicator_.watchdog().healthy() && !in_flight_ && buffers_fit(in, out) &&
         generation_ == communicator_.lanes().generation();
}

Status Plan::Impl::make_ready(const void* in, const void* out) noexcept {
  if (!communicator_.watchdog().healthy()) return communicator_.watchdog().status();
  if (in_flight_) return invalid("this plan's last operation is still in flight: wait() first");
  if (!buffers_fit(in, out)) return explain_buffers(in, out);
  return rebind();
}

void Plan::Impl::begin(const void* in, void* out, unsigned polls) noexcept {
  // The executor never writes through `in`; where it is null it is never read either.
  request_.in = in == nullptr ? static_cast<std::byte*>(out)
                              // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
                              : const_cast<std::byte*>(static_cast<const std::byte*>(in));
  request_.out = static_cast<std::byte*>(out);
  in_flight_ = true;
  if (out_bytes_ == 0 && spec_.collective != Collective::Barrier) {
    request_.finished = request_.segments;
    return;
  }
  communicator_.watchdog().moved();
  communicator_.engine().start(*lane_, request_, polls);
}

Status Plan::Impl::start(const void* in, void* out) noexcept {
  if (!ready(in, out)) {
    if (Status status = make_ready(in, out); !status.ok()) return status;
  }
  begin(in, out, 1);
  return {};
}

std::optional<Status> Plan::Impl::test() noexcept {
  if (!in_flight_) return communicator_.watchdog().current();
  if (!request_.done()) {
    runtime::Engine& engine = communicator_.engine();
    if (engine.progress(1)) {
      communicator_.watchdog().moved();
    } else if (!communicator_.watchdog().idle(engine, false)) {
      engine.drop();
      in_flight_ = false;
      return communicator_.watchdog().status();
    }
    if (!request_.done()) return std::nullopt;
  }
  in_flight_ = false;
  return Status();
}

Status Plan::Impl::wait() noexcept {
  return in_flight_ ? finish(false) : communicator_.watchdog().current();
}

Status Plan::Impl::finish(bool polled) noexcept {
  runtime::Engine& engine = communicator_.engine();
  runtime::Watchdog& watchdog = communicator_.watchdog();
  while (!request_.done()) {
    if (!polled && engine.progress(watchdog.policy().polls)) {
      watchdog.moved();
    } else if (!watchdog.idle(engine, true)) {
      engine.drop();
      in_flight_ = false;
      return watchdog.status();
    }
    polled = false;
  }
  in_flight_ = false;
  return {};
}

Status Plan::Impl::run(const void* in, void* out) noexcept {
  if (!ready(in, out)) {
    if (Status status = make_ready(in, out); !status.ok()) return status;
  }
  begin(in, out, communicator_.watchdog().policy().polls);
  return finish(true);
}

Plan::Plan(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Status Plan::run(const void* in, void* out) noexcept { return impl_->run(in, out); }
Status Plan::start(const void* in, void* out) noexcept { return impl_->start(in, out); }
std::optional<Status> Plan::test() noexcept { return impl_->test(); }
Status Plan::wait() noexcept { return impl_->wait(); }
const CollectiveSpec& Plan::spec() const noexcept { return impl_->spec(); }
PlanInfo Plan::info() const { return impl_->info(); }

}  // namespace roce

// SPDX-License-Identifier: Apache-2.0
#include "roce/roce.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "roce/roce.hpp"

struct roce_comm {
  roce::Communicator communicator;
};
struct roce_plan {
  roce::Plan plan;
};

namespace {

/// A plain array, not a string: a thread that ends must have no destructor to call in a library
/// that may have been unloaded.
thread_local char last_error[1024] = "";

roce_result_t remember(roce::ErrorCode code, std::string_view message) noexcept {
  const std::size_t length = std::min(message.size(), sizeof last_error - 1);
  std::memcpy(last_error, message.data(), length);
  last_error[length] = '\0';
  return static_cast<roce_result_t>(code);
}

roce_result_t result_of(const roce::Status& status) noexcept {
  return status.ok() ? ROCE_OK : remember(status.code(), status.message());
}

roce_result_t null_argument(std::string_view name) noexcept {
  return remember(roce::ErrorCode::InvalidArgument, std::string(name) + " must not be NULL");
}

/// Runs `body`, which returns a result, and turns exceptions into results.
template <typename Body>
roce_result_t guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const roce::Error& error) {
    return remember(static_cast<roce::ErrorCode>(error.code().value()), error.what());
  } catch (const std::bad_alloc&) {
    return remember(roce::ErrorCode::Resource, "out of memory");
  } catch (const std::exception& error) {
    return remember(roce::ErrorCode::Internal, error.what());
  } catch (...) {
    return remember(roce::ErrorCode::Internal, "unknown exception");
  }
}

/// `in` range of the enum, since C callers can pass any number. The library checks the bounds.
roce::DataType to_type(roce_data_type_t type) noexcept {
  return static_cast<roce::DataType>(std::min<unsigned>(type, UINT8_MAX));
}

roce::ReduceOp to_op(roce_op_t op) {
  if (op.kind == ROCE_PREMUL_SUM) return roce::ReduceOp::premul_sum(op.factor_bits);
  return {static_cast<roce::ReduceOp::Kind>(std::min<unsigned>(op.kind, UINT8_MAX))};
}

roce::CollectiveSpec to_spec(const roce_spec_t& spec) {
  if (spec.bytes != sizeof(roce_spec_t)) {
    throw roce::Error(roce::ErrorCode::InvalidArgument,
                      "roce_spec_t: set bytes to sizeof(roce_spec_t)");
  }
  roce::CollectiveSpec result;
  result.collective = static_cast<roce::Collective>(std::min<unsigned>(spec.collective, UINT8_MAX));
  result.count = spec.count;
  result.type = to_type(spec.type);
  result.op = to_op(spec.op);
  result.root = spec.root;
  if (spec.schedule != nullptr) result.schedule = spec.schedule;
  return result;
}

}  // namespace

extern "C" {

roce_op_t roce_op(roce_reduce_kind_t kind) {
  // A factor belongs to the sum with one: roce_premul_sum makes that.
  return {kind == ROCE_PREMUL_SUM ? static_cast<roce_reduce_kind_t>(UINT8_MAX) : kind, 0};
}

roce_op_t roce_premul_sum(const void* factor, roce_data_type_t type) {
  // A kind that no collective accepts, for a factor that cannot be read.
  const roce_op_t none = {static_cast<roce_reduce_kind_t>(UINT8_MAX), 0};
  roce_op_t op = {ROCE_PREMUL_SUM, 0};
  const bool narrow_float = type == ROCE_FLOAT16 || type == ROCE_BFLOAT16 ||
                            type == ROCE_FLOAT8_E4M3 || type == ROCE_FLOAT8_E5M2;
  if (factor == nullptr || type < ROCE_INT8 || type > ROCE_FLOAT8_E5M2) return none;
  std::memcpy(&op.factor_bits, factor, narrow_float ? sizeof(float) : roce::size_of(to_type(type)));
  return op;
}

const char* roce_result_string(roce_result_t result) {
  if (result == ROCE_IN_PROGRESS) return "in progress";
  return roce::to_string(static_cast<roce::ErrorCode>(result)).data();
}
const char* roce_last_error(void) { return last_error; }
const char* roce_version(void) { return ROCE_VERSION; }

roce_result_t roce_unique_id_create(const char* host, roce_unique_id_t* id) {
  if (id == nullptr) return null_argument("id");
  return guarded([&] {
    const std::string text = roce::UniqueId::generate(host == nullptr ? "" : host).to_string();
    if (text.size() >= sizeof id->text) {
      return remember(roce::ErrorCode::InvalidArgument, "the host's name is too long");
    }
    std::memcpy(id->text, text.c_str(), text.size() + 1);
    return ROCE_OK;
  });
}

roce_result_t roce_comm_create(const roce_unique_id_t* id, int rank, int size, roce_comm_t* comm) {
  if (id == nullptr) return null_argument("id");
  if (comm == nullptr) return null_argument("comm");
  return guarded([&] {
    roce::Config config = roce::Config::from_environment();
    const std::string_view text(id->text, ::strnlen(id->text, sizeof id->text));
    auto bootstrap =
        roce::make_tcp_bootstrap(size > 1 ? roce::UniqueId::parse(text) : roce::UniqueId{}, rank,
                                 size, config.connect_timeout);
    *comm = std::make_unique<roce_comm>(
                roce_comm{roce::Communicator(std::move(bootstrap), std::move(config))})
                .release();
    return ROCE_OK;
  });
}

roce_result_t roce_comm_create_from_environment(roce_comm_t* comm) {
  if (comm == nullptr) return null_argument("comm");
  return guarded([&] {
    *comm =
        std::make_unique<roce_comm>(roce_comm{roce::Communicator::from_environment()}).release();
    return ROCE_OK;
  });
}

roce_result_t roce_comm_destroy(roce_comm_t comm) {
  return guarded([&] {
    const std::unique_ptr<roce_comm> owned(comm);
    return ROCE_OK;
  });
}

roce_result_t roce_comm_rank(roce_comm_t comm, int* rank) {
  if (comm == nullptr || rank == nullptr) return null_argument("comm and rank");
  *rank = comm->communicator.rank();
  return ROCE_OK;
}

roce_result_t roce_comm_size(roce_comm_t comm, int* size) {
  if (comm == nullptr || size == nullptr) return null_argument("comm and size");
  *size = comm->communicator.size();
  return ROCE_OK;
}

roce_result_t roce_comm_status(roce_comm_t comm) {
  if (comm == nullptr) return null_argument("comm");
  return guarded([&] { return result_of(comm->communicator.status()); });
}

roce_result_t roce_comm_abort(roce_comm_t comm, const char* reason) {
  if (comm == nullptr) return null_argument("comm");
  comm->communicator.abort(reason == nullptr ? std::string_view() : std::string_view(reason));
  return ROCE_OK;
}

roce_result_t roce_comm_shrink(roce_comm_t comm, const int* survivors, size_t count,
                               roce_comm_t* shrunk) {
  if (comm == nullptr || survivors == nullptr || shrunk == nullptr) {
    return null_argument("comm, survivors and shrunk");
  }
  return guarded([&] {
    *shrunk = std::make_unique<roce_comm>(
                  roce_comm{comm->communicator.shrink(std::span(survivors, count))})
                  .release();
    return ROCE_OK;
  });
}

roce_result_t roce_all_reduce(roce_comm_t comm, const void* in, void* out, size_t count,
                              roce_data_type_t type, roce_op_t op) {
  if (comm == nullptr) return null_argument("comm");
  return guarded([&] {
    return result_of(comm->communicator.all_reduce(in, out, count, to_type(type), to_op(op)));
  });
}

roce_result_t roce_all_gather(roce_comm_t comm, const void* in, void* out, size_t count,
                              roce_data_type_t type) {
  if (comm == nullptr) return null_argument("comm");
  return guarded(
      [&] { return result_of(comm->communicator.all_gather(in, out, count, to_type(type))); });
}

roce_result_t roce_reduce_scatter(roce_comm_t comm, const void* in, void* out, size_t count,
                                  roce_data_type_t type, roce_op_t op) {
  if (comm == nullptr) return null_argument("comm");
  return guarded([&] {
    return result_of(comm->communicator.reduce_scatter(in, out, count, to_type(type), to_op(op)));
  });
}

roce_result_t roce_broadcast(roce_comm_t comm, const void* in, void* out, size_t count,
                             roce_data_type_t type, int root) {
  if (comm == nullptr) return null_argument("comm");
  return guarded(
      [&] { return result_of(comm->communicator.broadcast(in, out, count, to_type(type), root)); });
}

roce_result_t roce_barrier(roce_comm_t comm) {
  if (comm == nullptr) return null_argument("comm");
  return guarded([&] { return result_of(comm->communicator.barrier()); });
}

roce_result_t roce_plan_create(roce_comm_t comm, const roce_spec_t* spec, roce_plan_t* plan) {
  if (comm == nullptr || spec == nullptr || plan == nullptr) {
    return null_argument("comm, spec and plan");
  }
  return guarded([&] {
    *plan =
        std::make_unique<roce_plan>(roce_plan{comm->communicator.plan(to_spec(*spec))}).release();
    return ROCE_OK;
  });
}

roce_result_t roce_plan_destroy(roce_plan_t plan) {
  return guarded([&] {
    const std::unique_ptr<roce_plan> owned(plan);
    return ROCE_OK;
  });
}

roce_result_t roce_plan_run(roce_plan_t plan, const void* in, void* out) {
  if (plan == nullptr) return null_argument("plan");
  return guarded([&] { return result_of(plan->plan.run(in, out)); });
}

roce_result_t roce_plan_start(roce_plan_t plan, const void* in, void* out) {
  if (plan == nullptr) return null_argument("plan");
  return guarded([&] { return result_of(plan->plan.start(in, out)); });
}

roce_result_t roce_plan_test(roce_plan_t plan) {
  if (plan == nullptr) return null_argument("plan");
  return guarded([&] {
    const auto status = plan->plan.test();
    return status ? result_of(*status) : ROCE_IN_PROGRESS;
  });
}

roce_result_t roce_plan_wait(roce_plan_t plan) {
  if (plan == nullptr) return null_argument("plan");
  return guarded([&] { return result_of(plan->plan.wait()); });
}

}  // extern "C"

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROCE_ROCE_H
#define ROCE_ROCE_H

/** @file
 * The C API: the calls of roce/communicator.hpp under C names. No call throws. Each returns a
 * roce_result_t; roce_last_error() has the sentence for the calling thread's last failure.
 *
 * Buffers, in-place forms, thread rules and errors are those of the C++ API.
 */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ROCE_C_API __attribute__((visibility("default")))
#else
#define ROCE_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Outcome of a call; the values of roce::ErrorCode. */
typedef enum {
  ROCE_OK = 0,
  ROCE_INVALID_ARGUMENT = 1,
  ROCE_TIMEOUT = 2,
  ROCE_PEER_FAILED = 3,
  ROCE_ABORTED = 4,
  ROCE_RESOURCE = 5,
  ROCE_MISMATCH = 6,
  ROCE_UNSUPPORTED = 7,
  ROCE_TRANSPORT_FAILED = 8,
  ROCE_INTERNAL = 9,
  /** Only from roce_plan_test: the operation is still in flight. */
  ROCE_IN_PROGRESS = 100
} roce_result_t;

/** Element types; the values of ncclDataType_t. */
typedef enum {
  ROCE_INT8 = 0,
  ROCE_UINT8 = 1,
  ROCE_INT32 = 2,
  ROCE_UINT32 = 3,
  ROCE_INT64 = 4,
  ROCE_UINT64 = 5,
  ROCE_FLOAT16 = 6,
  ROCE_FLOAT32 = 7,
  ROCE_FLOAT64 = 8,
  ROCE_BFLOAT16 = 9,
  ROCE_FLOAT8_E4M3 = 10,
  ROCE_FLOAT8_E5M2 = 11
} roce_data_type_t;

/** Operators; the first five values of ncclRedOp_t. */
typedef enum {
  ROCE_SUM = 0,
  ROCE_PROD = 1,
  ROCE_MAX = 2,
  ROCE_MIN = 3,
  ROCE_AVG = 4,
  ROCE_PREMUL_SUM = 5
} roce_reduce_kind_t;

/** An operator. Make it with roce_op() or roce_premul_sum(). */
typedef struct {
  roce_reduce_kind_t kind;
  uint64_t factor_bits;
} roce_op_t;

/** Collectives, for roce_plan_create. */
typedef enum {
  ROCE_ALL_REDUCE = 0,
  ROCE_ALL_GATHER = 1,
  ROCE_REDUCE_SCATTER = 2,
  ROCE_BROADCAST = 3,
  ROCE_BARRIER = 4
} roce_collective_t;

/** Where ranks meet, as text: "host:port/secret", ended by a zero. Send it to every rank. */
typedef struct {
  char text[320];
} roce_unique_id_t;

/** A communicator; one thread at a time, except roce_comm_abort. */
typedef struct roce_comm* roce_comm_t;
/** A prepared collective of a communicator, under its thread rule. */
typedef struct roce_plan* roce_plan_t;

/** What a plan is for. Set `bytes` to sizeof(roce_spec_t). All else zero is an all-reduce of no
 * int8 elements by sum, the schedule chosen. */
typedef struct {
  size_t bytes;
  roce_collective_t collective;
  size_t count; /**< elements, as in the C++ CollectiveSpec */
  roce_data_type_t type;
  roce_op_t op;
  int root;             /**< broadcast only */
  const char* schedule; /**< a name from `rocectl schedule list`, or NULL to choose */
} roce_spec_t;

/** An operator without a factor; of ROCE_PREMUL_SUM, one that every call refuses. */
ROCE_C_API roce_op_t roce_op(roce_reduce_kind_t kind);
/** The sum of inputs, each multiplied first. `factor` points to one element of `type`, or to a
 * float for 16- and 8-bit floats. */
ROCE_C_API roce_op_t roce_premul_sum(const void* factor, roce_data_type_t type);

/** A word for a result. Never NULL. */
ROCE_C_API const char* roce_result_string(roce_result_t result);
/** The sentence for this thread's last failed call; "" when none failed. Valid until its next call.
 */
ROCE_C_API const char* roce_last_error(void);
/** The library's version, for example "0.1.0". */
ROCE_C_API const char* roce_version(void);

/** A new id on this machine; `host` names it for the peers, NULL finds an address. Call on one
 * rank. */
ROCE_C_API roce_result_t roce_unique_id_create(const char* host, roce_unique_id_t* id);
/** Joins the communicator; collective. Release with roce_comm_destroy. */
ROCE_C_API roce_result_t roce_comm_create(const roce_unique_id_t* id, int rank, int size,
                                          roce_comm_t* comm);
/** The same with rank, size and meeting point from the launcher's environment. */
ROCE_C_API roce_result_t roce_comm_create_from_environment(roce_comm_t* comm);
/** Leaves the communicator. Plans must be gone. NULL does nothing. */
ROCE_C_API roce_result_t roce_comm_destroy(roce_comm_t comm);
/** This process's rank, and the number of ranks. */
ROCE_C_API roce_result_t roce_comm_rank(roce_comm_t comm, int* rank);
ROCE_C_API roce_result_t roce_comm_size(roce_comm_t comm, int* size);
/** ROCE_OK, or what poisoned the communicator. */
ROCE_C_API roce_result_t roce_comm_status(roce_comm_t comm);
/** Ends every wait here and on the peers. Any thread; `reason` may be NULL. */
ROCE_C_API roce_result_t roce_comm_abort(roce_comm_t comm, const char* reason);
/** A communicator of some of the ranks (old ranks, ascending); collective over those. */
ROCE_C_API roce_result_t roce_comm_shrink(roce_comm_t comm, const int* survivors, size_t count,
                                          roce_comm_t* shrunk);

/** Blocking collectives. `in` and `out` hold `count` elements, except that all_gather's `out` and
 * reduce_scatter's `in` hold count for each rank; broadcast reads `in` on the root only. */
ROCE_C_API roce_result_t roce_all_reduce(roce_comm_t comm, const void* in, void* out, size_t count,
                                         roce_data_type_t type, roce_op_t op);
ROCE_C_API roce_result_t roce_all_gather(roce_comm_t comm, const void* in, void* out, size_t count,
                                         roce_data_type_t type);
ROCE_C_API roce_result_t roce_reduce_scatter(roce_comm_t comm, const void* in, void* out,
                                             size_t count, roce_data_type_t type, roce_op_t op);
ROCE_C_API roce_result_t roce_broadcast(roce_comm_t comm, const void* in, void* out, size_t count,
                                        roce_data_type_t type, int root);
ROCE_C_API roce_result_t roce_barrier(roce_comm_t comm);

/** Prepares a collective; collective call. Release with roce_plan_destroy before the communicator.
 */
ROCE_C_API roce_result_t roce_plan_create(roce_comm_t comm, const roce_spec_t* spec,
                                          roce_plan_t* plan);
/** Waits for an operation in flight, if any. NULL does nothing. */
ROCE_C_API roce_result_t roce_plan_destroy(roce_plan_t plan);
/** Starts and waits. */
ROCE_C_API roce_result_t roce_plan_run(roce_plan_t plan, const void* in, void* out);
/** Begins; the buffers belong to the operation until test or wait says that it has ended. */
ROCE_C_API roce_result_t roce_plan_start(roce_plan_t plan, const void* in, void* out);
/** ROCE_IN_PROGRESS until the operation has ended. Does not block, but for up to 0.4 s once, when
 * it finds out which rank a deadline passed for. */
ROCE_C_API roce_result_t roce_plan_test(roce_plan_t plan);
/** Blocks until the operation has ended, well or not. */
ROCE_C_API roce_result_t roce_plan_wait(roce_plan_t plan);

#ifdef __cplusplus
}
#endif

#endif /* ROCE_ROCE_H */

/* SPDX-License-Identifier: Apache-2.0 */
#include <roce/roce.h>
#include <stdio.h>

/* A plan that is started, polled and finished, as a framework with work of its own would do. */
int main(void) {
  roce_comm_t comm = NULL;
  roce_plan_t plan = NULL;
  int rank = 0;
  double values[3] = {1, 2, 3};
  roce_spec_t spec = {0};
  spec.bytes = sizeof spec;
  spec.collective = ROCE_ALL_REDUCE;
  spec.count = 3;
  spec.type = ROCE_FLOAT64;
  spec.op = roce_op(ROCE_SUM);

  roce_result_t result = roce_comm_create_from_environment(&comm);
  if (result == ROCE_OK) result = roce_comm_rank(comm, &rank);
  if (result == ROCE_OK) result = roce_plan_create(comm, &spec, &plan);
  if (result == ROCE_OK) result = roce_plan_start(plan, values, values);
  if (result == ROCE_OK) {
    do {
      result = roce_plan_test(plan);
    } while (result == ROCE_IN_PROGRESS);
  }
  if (result != ROCE_OK) fprintf(stderr, "%s: %s\n", roce_result_string(result), roce_last_error());
  printf("rank %d: %g %g %g\n", rank, values[0], values[1], values[2]);
  roce_plan_destroy(plan);
  roce_comm_destroy(comm);
  return result == ROCE_OK ? 0 : 1;
}

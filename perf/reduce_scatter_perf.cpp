// SPDX-License-Identifier: Apache-2.0
#include "perf/common/job.hpp"

int main(int argc, char** argv) {
  return roce::perf::run_job(roce::Collective::ReduceScatter, argc, argv);
}

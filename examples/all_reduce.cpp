// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <roce/roce.hpp>
#include <vector>

int main() {
  auto comm = roce::Communicator::from_environment();
  std::vector<float> x(1024, static_cast<float>(comm.rank()));
  comm.all_reduce(x.data(), x.data(), x.size(), roce::DataType::Float32).throw_if_failed();
  std::printf("rank %d of %d: %g\n", comm.rank(), comm.size(), x[0]);
}

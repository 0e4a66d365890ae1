// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/generators/ring_phases.hpp"

#include <utility>
#include <vector>

namespace roce::schedule::generators {

void append_ring_reduce(Program& program, const Chain& chain, int rank, int slots,
                        const Slice (&result)[2]) {
  const int n = chain.ranks();
  // Step s brings the half block that ends its travel n - 2 - s steps further on.
  const auto part = [&](int way, int step) {
    return half_block(chain.around(rank, way, n - 2 - step), way, n);
  };
  const auto arrival = [&](int way, int step) { return slots + 2 * (step + 1) + way; };
  for (int way = 0; way < 2; ++way) {
    const Part first = half_block(chain.around(rank, way, -1), way, n);
    program.push_back(copy(slot(slots + way, first), in(first)));
    program.push_back(put(chain.around(rank, way, 1), arrival(way, 0), slot(slots + way, first)));
  }
  for (int step = 0; step + 1 < n; ++step) {
    for (int way = 0; way < 2; ++way) {
      const Slice arrived = slot(arrival(way, step), part(way, step));
      const bool last = step + 2 == n;
      program.push_back(wait(arrival(way, step)));
      std::vector<Slice> operands{arrived, in(part(way, step))};
      // The first to be folded are two inputs: the lower rank's first, so that two ranks get the
      // very bits of the fold in rank order.
      if (step == 0 && rank < chain.around(rank, way, -1)) std::swap(operands[0], operands[1]);
      program.push_back(reduce(last ? result[way] : arrived, operands));
      if (last) continue;
      program.push_back(put(chain.around(rank, way, 1), arrival(way, step + 1), arrived));
    }
  }
}

void append_ring_gather(Program& program, const Chain& chain, int rank, int slots,
                        const Slice (&own)[2]) {
  const int n = chain.ranks();
  const auto arrival = [&](int way, int step) { return slots + 2 * step + way; };
  for (int way = 0; way < 2; ++way) {
    program.push_back(put(chain.around(rank, way, 1), arrival(way, 0), own[way]));
  }
  for (int step = 0; step + 1 < n; ++step) {
    for (int way = 0; way < 2; ++way) {
      const Part part = half_block(chain.around(rank, way, -(step + 1)), way, n);
      const Slice arrived = slot(arrival(way, step), part);
      program.push_back(wait(arrival(way, step)));
      if (step + 2 < n) {
        program.push_back(put(chain.around(rank, way, 1), arrival(way, step + 1), arrived));
      }
      program.push_back(copy(out(part), arrived));
    }
  }
}

}  // namespace roce::schedule::generators

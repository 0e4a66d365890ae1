// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/proof/contract.hpp"

#include "src/schedule/build.hpp"

namespace roce::schedule::proof {

std::optional<Slice> input_part(const Schedule& schedule, int rank) {
  switch (schedule.collective) {
    case Collective::AllReduce:
    case Collective::ReduceScatter:
      return in();
    case Collective::AllGather:
      return in({rank, 1, schedule.ranks});
    case Collective::Broadcast:
      if (rank == schedule.root) return in();
      return std::nullopt;
    case Collective::Barrier:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Slice> output_part(const Schedule& schedule, int rank) {
  switch (schedule.collective) {
    case Collective::AllReduce:
    case Collective::AllGather:
    case Collective::Broadcast:
      return out();
    case Collective::ReduceScatter:
      return out({rank, 1, schedule.ranks});
    case Collective::Barrier:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace roce::schedule::proof

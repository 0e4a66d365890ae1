// SPDX-License-Identifier: Apache-2.0
#include "perf/common/shape.hpp"

namespace roce::perf {

Shape shape_of(Collective collective, DataType type, std::size_t bytes, int ranks) {
  const std::size_t element = size_of(type);
  const std::size_t whole = bytes / element;
  const std::size_t part = whole / static_cast<std::size_t>(ranks);
  switch (collective) {
    case Collective::AllReduce:
    case Collective::Broadcast:
      return {whole, whole * element, whole * element};
    case Collective::AllGather:
      return {part, part * element, part * element * static_cast<std::size_t>(ranks)};
    case Collective::ReduceScatter:
      return {part, part * element * static_cast<std::size_t>(ranks), part * element};
    case Collective::Barrier:
      break;
  }
  return {};
}

double bus_factor(Collective collective, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (collective) {
    case Collective::AllReduce:
      return 2 * others;
    case Collective::AllGather:
    case Collective::ReduceScatter:
      return others;
    case Collective::Broadcast:
    case Collective::Barrier:
      break;
  }
  return 1;
}

Placement place(Collective collective, const Shape& shape, int rank, bool in_place, std::byte* send,
                std::byte* receive) {
  if (!in_place) return {send, receive};
  const auto index = static_cast<std::size_t>(rank);
  if (collective == Collective::AllGather) return {receive + index * shape.send_bytes, receive};
  if (collective == Collective::ReduceScatter) return {send, send + index * shape.receive_bytes};
  return {receive, receive};
}

}  // namespace roce::perf

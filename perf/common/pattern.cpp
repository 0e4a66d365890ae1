// SPDX-License-Identifier: Apache-2.0
#include "perf/common/pattern.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "perf/common/element.hpp"

namespace roce::perf {
namespace {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t random_bits(const Pattern& pattern, int rank, std::size_t index) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
  const std::uint64_t stream = mix(pattern.seed * golden + static_cast<std::uint64_t>(rank) + 1);
  return mix(stream + (index + 1) * golden);
}

double real_input(const Pattern& pattern, int rank, std::size_t index) {
  const std::uint64_t random = random_bits(pattern, rank, index);
  const bool product = pattern.op == ReduceOp::Kind::Prod;
  if (index % 2 == 0) {
    const double magnitude = 0.5 + static_cast<double>(random >> 40) / static_cast<double>(1 << 24);
    return (random & 1) != 0 ? -magnitude : magnitude;
  }
  const std::size_t turn =
      (static_cast<std::size_t>(rank) + index / 2) % static_cast<std::size_t>(pattern.ranks);
  if (turn >= 2) return product ? 1 : 0;
  constexpr std::array small{1.0, -1.0, 2.0, -2.0};
  return small[random % small.size()];
}

}  // namespace

std::uint64_t input_bits(const Pattern& pattern, int rank, std::size_t index) {
  if (!is_float(pattern.type)) return random_bits(pattern, rank, index);
  return encode(pattern.type, real_input(pattern, rank, index));
}

double premul_factor(DataType type, int rank) noexcept {
  constexpr std::array real{1.0, 2.0, 1.5};
  const int turn = rank % 3;
  return is_float(type) ? real[static_cast<std::size_t>(turn)] : turn + 1;
}

ReduceOp reduce_op(const Pattern& pattern, int rank) {
  if (pattern.op != ReduceOp::Kind::PremulSum) return pattern.op;
  const double factor = premul_factor(pattern.type, rank);
  switch (pattern.type) {
    case DataType::Float64:
      return ReduceOp::premul_sum(factor);
    case DataType::Int64:
    case DataType::Uint64:
      return ReduceOp::premul_sum(static_cast<std::uint64_t>(factor));
    case DataType::Int32:
    case DataType::Uint32:
      return ReduceOp::premul_sum(static_cast<std::uint32_t>(factor));
    case DataType::Int8:
    case DataType::Uint8:
      return ReduceOp::premul_sum(static_cast<std::uint8_t>(factor));
    default:
      return ReduceOp::premul_sum(static_cast<float>(factor));
  }
}

std::vector<std::byte> input_table(const Pattern& pattern, int rank, std::size_t elements) {
  std::vector<std::byte> table(elements * size_of(pattern.type));
  for (std::size_t i = 0; i < elements; ++i) {
    store(pattern.type, input_bits(pattern, rank, i), table.data(), i);
  }
  return table;
}

void fill_periodic(const std::vector<std::byte>& table, std::byte* destination, std::size_t bytes) {
  while (bytes > 0 && !table.empty()) {
    const std::size_t part = std::min(bytes, table.size());
    std::memcpy(destination, table.data(), part);
    destination += part;
    bytes -= part;
  }
}

}  // namespace roce::perf

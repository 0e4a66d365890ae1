// SPDX-License-Identifier: Apache-2.0
#include "perf/common/check.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "perf/common/element.hpp"

namespace roce::perf {
namespace {

template <typename Decode>
std::size_t count_outside(const Expectation& expected, std::size_t first, std::size_t count,
                          Decode&& value_at) {
  std::size_t wrong = 0;
  std::size_t k = first % expected.low.size();
  for (std::size_t i = 0; i < count; ++i) {
    const double value = value_at(i);
    // A NaN compares false and so counts as wrong.
    if (!(value >= expected.low[k] && value <= expected.high[k])) ++wrong;
    if (++k == expected.low.size()) k = 0;
  }
  return wrong;
}

template <typename T>
std::size_t count_outside_native(const Expectation& expected, std::size_t first,
                                 const std::byte* data, std::size_t count) {
  return count_outside(expected, first, count, [data](std::size_t i) {
    T value;
    std::memcpy(&value, data + i * sizeof value, sizeof value);
    return static_cast<double>(value);
  });
}

std::size_t count_outside_narrow(const Expectation& expected, std::size_t first,
                                 const std::byte* data, std::size_t count) {
  std::vector<float> values(std::size_t{1} << (8 * size_of(expected.type)));
  for (std::size_t bits = 0; bits < values.size(); ++bits) {
    values[bits] = static_cast<float>(decode(expected.type, bits));
  }
  return count_outside(expected, first, count, [&](std::size_t i) {
    return static_cast<double>(values[load(expected.type, data, i)]);
  });
}

std::size_t count_different(const Expectation& expected, std::size_t first, const std::byte* data,
                            std::size_t count) {
  const std::size_t element = size_of(expected.type);
  const std::size_t period = expected.bytes.size() / element;
  std::size_t wrong = 0;
  for (std::size_t done = 0; done < count;) {
    const std::size_t k = (first + done) % period;
    const std::size_t part = std::min(count - done, period - k);
    const std::byte* want = expected.bytes.data() + k * element;
    const std::byte* got = data + done * element;
    if (std::memcmp(want, got, part * element) != 0) {
      for (std::size_t i = 0; i < part; ++i) {
        wrong += std::memcmp(want + i * element, got + i * element, element) != 0 ? 1 : 0;
      }
    }
    done += part;
  }
  return wrong;
}

}  // namespace

std::size_t count_wrong(const Expectation& expected, std::size_t first, const std::byte* data,
                        std::size_t count) {
  if (count == 0) return 0;
  if (!expected.bytes.empty()) return count_different(expected, first, data, count);
  switch (expected.type) {
    case DataType::Float32:
      return count_outside_native<float>(expected, first, data, count);
    case DataType::Float64:
      return count_outside_native<double>(expected, first, data, count);
    default:
      return count_outside_narrow(expected, first, data, count);
  }
}

}  // namespace roce::perf

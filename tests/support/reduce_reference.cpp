// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reduce_reference.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>

namespace roce::test {
namespace {

template <typename T>
T get(const std::byte* bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void put(std::vector<std::byte>& bytes, std::size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

/// False for integers.
template <typename T>
bool is_nan(T value) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  return false;
}

template <typename T>
T wrap_multiply(T a, T b) {
  using U = std::uint64_t;
  return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}

template <typename T>
T combine(ReduceOp::Kind kind, T a, T b) {
  const bool a_is_nan = is_nan(a);
  switch (kind) {
    case ReduceOp::Kind::Prod:
      if constexpr (std::is_integral_v<T>) return wrap_multiply(a, b);
      return static_cast<T>(a * b);
    case ReduceOp::Kind::Max:
      return b > a || a_is_nan ? b : a;
    case ReduceOp::Kind::Min:
      return b < a || a_is_nan ? b : a;
    default:
      if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
      }
      return static_cast<T>(a + b);
  }
}

template <typename T>
T divided(T value, std::uint32_t divisor) {
  if (divisor == 1) return value;
  if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(std::uint64_t{value} / divisor);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(std::int64_t{value} / std::int64_t{divisor});
  } else {
    return value / static_cast<T>(divisor);
  }
}

template <typename T>
T factor_of(const reduce::FoldOptions& options) {
  T factor;
  std::memcpy(&factor, &options.factor_bits, sizeof factor);
  return factor;
}

bool multiplies(const reduce::FoldOptions& options, std::size_t source) {
  return source < 64 && ((options.premul_mask >> source) & 1) != 0;
}

template <typename T>
void fold_native(ReduceOp::Kind kind, const std::vector<std::vector<std::byte>>& sources,
                 std::size_t count, const reduce::FoldOptions& options,
                 std::vector<std::byte>& result) {
  const T factor = factor_of<T>(options);
  for (std::size_t i = 0; i < count; ++i) {
    T acc{};
    for (std::size_t s = 0; s < sources.size(); ++s) {
      T x = get<T>(sources[s].data(), i);
      if (multiplies(options, s)) {
        if constexpr (std::is_integral_v<T>) {
          x = wrap_multiply(x, factor);
        } else {
          x = x * factor;
        }
      }
      acc = s == 0 ? x : combine(kind, acc, x);
    }
    acc = divided(acc, options.divisor);
    if (is_nan(acc)) acc = std::numeric_limits<T>::quiet_NaN();
    put(result, i, acc);
  }
}

template <typename Element>
void fold_small(DataType type, ReduceOp::Kind kind,
                const std::vector<std::vector<std::byte>>& sources, std::size_t count,
                const reduce::FoldOptions& options, std::vector<std::byte>& result) {
  const SmallFloat& format = SmallFloat::of(type);
  const auto factor = factor_of<float>(options);
  for (std::size_t i = 0; i < count; ++i) {
    float acc = 0;
    for (std::size_t s = 0; s < sources.size(); ++s) {
      auto x = static_cast<float>(format.value(get<Element>(sources[s].data(), i)));
      if (multiplies(options, s)) {
        const float product = x * factor;
        x = static_cast<float>(format.value(format.nearest(product)));
      }
      acc = s == 0 ? x : combine(kind, acc, x);
    }
    acc = divided(acc, options.divisor);
    put(result, i, static_cast<Element>(format.nearest(acc)));
  }
}

bool is_small_float(DataType type) {
  return type == DataType::Float16 || type == DataType::BFloat16 || type == DataType::Float8E4M3 ||
         type == DataType::Float8E5M2;
}

bool changes_nothing(const reduce::FoldOptions& options, std::size_t sources) {
  return sources == 1 && options.divisor == 1 && options.premul_mask == 0;
}

}  // namespace

SmallFloat::SmallFloat(int exponent_bits, int mantissa_bits, std::uint32_t finite_patterns,
                       std::uint32_t overflow, std::uint32_t nan, bool infinite)
    : sign_(1U << (exponent_bits + mantissa_bits)),
      overflow_(overflow),
      nan_(nan),
      infinite_(infinite) {
  // Counting from zero, the step doubles with every exponent but the first.
  const int bias = (1 << (exponent_bits - 1)) - 1;
  double step = std::pow(2.0, 1 - bias - mantissa_bits);
  double value = 0;
  for (std::uint32_t pattern = 0; pattern < finite_patterns; ++pattern) {
    finite_.push_back(value);
    value += step;
    const std::uint32_t next = pattern + 1;
    const bool new_exponent = next % (1U << mantissa_bits) == 0;
    if (new_exponent && next >> mantissa_bits >= 2) step *= 2;
  }
}

const SmallFloat& SmallFloat::of(DataType type) {
  static const SmallFloat float16(5, 10, 0x7C00, 0x7C00, 0x7E00, true);
  static const SmallFloat bfloat16(8, 7, 0x7F80, 0x7F80, 0x7FC0, true);
  static const SmallFloat e4m3(4, 3, 0x7F, 0x7E, 0x7F, false);
  static const SmallFloat e5m2(5, 2, 0x7C, 0x7B, 0x7F, true);
  switch (type) {
    case DataType::Float16:
      return float16;
    case DataType::BFloat16:
      return bfloat16;
    case DataType::Float8E4M3:
      return e4m3;
    default:
      return e5m2;
  }
}

double SmallFloat::value(std::uint32_t bits) const {
  const std::uint32_t magnitude = bits & (sign_ - 1);
  double value = std::numeric_limits<double>::quiet_NaN();
  if (magnitude < finite_.size()) {
    value = finite_[magnitude];
  } else if (infinite_ && magnitude == finite_.size()) {
    value = std::numeric_limits<double>::infinity();
  }
  return (bits & sign_) != 0 ? -value : value;
}

std::uint32_t SmallFloat::nearest(double value) const {
  if (std::isnan(value)) return nan_;
  const std::uint32_t sign = std::signbit(value) ? sign_ : 0;
  const double magnitude = std::fabs(value);
  const double last = finite_.back();
  const double beyond = last + (last - finite_[finite_.size() - 2]);
  if (magnitude >= last + (beyond - last) / 2) return sign | overflow_;
  const auto above = std::upper_bound(finite_.begin(), finite_.end(), magnitude);
  const auto lower = static_cast<std::uint32_t>(above - finite_.begin()) - 1;
  const double next = above == finite_.end() ? beyond : *above;
  const double middle = (finite_[lower] + next) / 2;
  const bool up = magnitude > middle || (magnitude == middle && lower % 2 == 1);
  return sign | (lower + (up && above != finite_.end() ? 1 : 0));
}

std::vector<std::byte> reference_fold(DataType type, ReduceOp::Kind kind,
                                      const std::vector<std::vector<std::byte>>& sources,
                                      std::size_t count, const reduce::FoldOptions& options) {
  std::vector<std::byte> result(
      sources[0].begin(), sources[0].begin() + static_cast<std::ptrdiff_t>(count * size_of(type)));
  if (changes_nothing(options, sources.size())) return result;
  if (is_small_float(type)) {
    const auto fold = size_of(type) == 1 ? fold_small<std::uint8_t> : fold_small<std::uint16_t>;
    fold(type, kind, sources, count, options, result);
    return result;
  }
  constexpr std::array folds{fold_native<std::int8_t>,
                             fold_native<std::uint8_t>,
                             fold_native<std::int32_t>,
                             fold_native<std::uint32_t>,
                             fold_native<std::int64_t>,
                             fold_native<std::uint64_t>,
                             decltype(&fold_native<float>){nullptr},
                             fold_native<float>,
                             fold_native<double>};
  folds.at(static_cast<std::size_t>(type))(kind, sources, count, options, result);
  return result;
}

std::vector<std::byte> random_elements(DataType type, std::size_t count, std::uint64_t seed) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::array special{0.0,    -0.0, 1.0,    -1.0,   infinity, -infinity, nan,
                               1e-310, 7e-8, -3e-40, 65504., -1e38,    1e300,     2e-3};
  std::mt19937_64 random(seed);
  const std::size_t size = size_of(type);
  std::vector<std::byte> bytes(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    std::byte* const element = bytes.data() + i * size;
    const std::uint64_t bits = random();
    const std::uint64_t pick = random() % 8;
    if (pick == 0) {
      reduce::from_double(type, special[bits % special.size()], element);
    } else if (pick < 5) {
      const double spread = static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-63;
      reduce::from_double(type, spread * 100, element);
    } else {
      std::memcpy(element, &bits, size);
    }
  }
  return bytes;
}

}  // namespace roce::test

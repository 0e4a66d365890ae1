// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "src/reduce/fold.hpp"
#include "tests/catch.hpp"
#include "tests/support/reduce_reference.hpp"
#include "tests/support/simd_targets.hpp"

namespace {

using roce::DataType;
using roce::ReduceOp;
using roce::reduce::FoldOptions;
using Bytes = std::vector<std::byte>;

constexpr std::size_t no_alias = 99;
constexpr std::size_t guard = 64;

struct Case {
  DataType type;
  ReduceOp::Kind kind;
  FoldOptions options;
  std::vector<Bytes> sources;
  Bytes expected;
};

FoldOptions options_for(DataType type, ReduceOp::Kind kind, std::size_t sources) {
  FoldOptions options;
  if (kind == ReduceOp::Kind::Avg) options.divisor = static_cast<std::uint32_t>(sources);
  if (kind == ReduceOp::Kind::PremulSum) {
    options.premul_mask = 0b1010'0101'1011'0110;
    ReduceOp op = ReduceOp::premul_sum(0.7F);
    if (type == DataType::Float64) op = ReduceOp::premul_sum(0.7);
    if (type <= DataType::Uint64) op = ReduceOp::premul_sum(std::int64_t{-0x1234567890ABCDEF});
    options.factor_bits = op.factor_bits();
  }
  return options;
}

Case make_case(DataType type, ReduceOp::Kind kind, std::size_t sources, std::size_t count,
               std::uint64_t seed) {
  Case made{type, kind, options_for(type, kind, sources), {}, {}};
  for (std::size_t s = 0; s < sources; ++s) {
    made.sources.push_back(roce::test::random_elements(type, count, seed * 64 + s));
  }
  made.expected = roce::test::reference_fold(type, kind, made.sources, count, made.options);
  return made;
}

/// A copy of the first bytes of `bytes`, `offset` bytes after an aligned address and flush with the
/// end of its allocation, so that AddressSanitizer sees a read past it.
class Placed {
 public:
  Placed(const Bytes& bytes, std::size_t size, std::size_t offset)
      : storage_(offset + size), offset_(offset) {
    std::copy_n(bytes.begin(), size, storage_.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  std::byte* data() { return storage_.data() + offset_; }

 private:
  Bytes storage_;
  std::size_t offset_;
};

/// Runs the first `count` elements of a case and tells whether the result is the expected bytes and
/// nothing else was written. `alias` is the source that is also the destination, or no_alias.
bool holds(const Case& checked, std::size_t count, std::size_t offset, std::size_t alias) {
  const std::size_t size = count * roce::size_of(checked.type);
  std::vector<Placed> sources;
  std::vector<const void*> pointers;
  for (std::size_t s = 0; s < checked.sources.size(); ++s) {
    sources.emplace_back(checked.sources[s], size, (offset * (s + 1) * 3) % 17);
  }
  for (Placed& source : sources) pointers.push_back(source.data());
  Bytes separate(offset + size + guard, std::byte{0xA5});
  std::byte* const dst = alias == no_alias ? separate.data() + offset : sources[alias].data();

  const auto fold = roce::reduce::fold_function(checked.type, checked.kind);
  fold(dst, pointers.data(), pointers.size(), count, checked.options);

  if (size != 0 && std::memcmp(dst, checked.expected.data(), size) != 0) return false;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    if (s == alias || size == 0) continue;
    if (std::memcmp(sources[s].data(), checked.sources[s].data(), size) != 0) return false;
  }
  const auto clean = [](std::byte b) { return b == std::byte{0xA5}; };
  const auto written = alias == no_alias ? size : 0;
  return std::all_of(separate.begin(), separate.begin() + static_cast<std::ptrdiff_t>(offset),
                     clean) &&
         std::all_of(separate.begin() + static_cast<std::ptrdiff_t>(offset + written),
                     separate.end(), clean);
}

void check(const Case& checked, std::size_t count, std::size_t offset, std::size_t alias) {
  if (holds(checked, count, offset, alias)) return;
  INFO(roce::to_string(checked.type)
       << " " << roce::to_string(checked.kind) << ", " << checked.sources.size() << " sources, "
       << count << " elements, offset " << offset << ", alias " << alias);
  FAIL_CHECK();
}

void check_all_ways(const Case& checked, std::size_t count) {
  check(checked, count, 0, no_alias);
  check(checked, count, 1 + count % 13, no_alias);
  for (std::size_t alias = 0; alias < checked.sources.size(); ++alias) {
    check(checked, count, (count + alias) % 7, alias);
  }
}

template <typename Visitor>
void for_each_kernel(const Visitor& visit) {
  for (int type = 0; type < roce::data_type_count; ++type) {
    for (int kind = 0; kind < roce::reduce_op_count; ++kind) {
      visit(static_cast<DataType>(type), static_cast<ReduceOp::Kind>(kind));
    }
  }
}

}  // namespace

TEST_CASE("a fold equals the plain reference, bit for bit, for any count, alignment and alias") {
  constexpr std::size_t longest = 4099;
  for_each_kernel([](DataType type, ReduceOp::Kind kind) {
    for (const std::size_t sources : {1, 2, 3, 4, 5, 8}) {
      const Case made = make_case(type, kind, sources, longest, sources);
      for (const std::int64_t target : roce::test::simd_targets()) {
        INFO(roce::test::simd_target_name(target));
        const roce::test::SimdTargetScope scope(target);
        for (std::size_t count = 0; count <= 70; ++count) check_all_ways(made, count);
        for (const std::size_t count : {127, 128, 129, 1000, 2048, 4099}) {
          check_all_ways(made, count);
        }
      }
    }
  });
  SUCCEED();
}

TEST_CASE("random folds with options equal the plain reference") {
  std::mt19937_64 random(20240607);
  for (int round = 0; round < 600; ++round) {
    const auto type = static_cast<DataType>(random() % roce::data_type_count);
    const auto kind = static_cast<ReduceOp::Kind>(random() % roce::reduce_op_count);
    const std::size_t sources = 1 + random() % 17;
    const std::size_t count = random() % 700;
    Case made{type, kind, {}, {}, {}};
    if (kind != ReduceOp::Kind::Prod && kind != ReduceOp::Kind::Max &&
        kind != ReduceOp::Kind::Min) {
      made.options.premul_mask = random();
      roce::reduce::from_double(
          roce::size_of(type) < 4 && type >= DataType::Float16 ? DataType::Float32 : type,
          static_cast<double>(random() % 2000) / 100 - 10, &made.options.factor_bits);
      made.options.divisor = static_cast<std::uint32_t>(1 + random() % 300);
    }
    for (std::size_t s = 0; s < sources; ++s) {
      made.sources.push_back(roce::test::random_elements(type, count, random()));
    }
    made.expected = roce::test::reference_fold(type, kind, made.sources, count, made.options);
    for (const std::int64_t target : roce::test::simd_targets()) {
      const roce::test::SimdTargetScope scope(target);
      INFO("round " << round << " on " << roce::test::simd_target_name(target));
      check(made, count, random() % 16, no_alias);
      check(made, count, random() % 16, random() % sources);
    }
  }
  SUCCEED();
}

TEST_CASE("more than 64 sources fold, and the mask names the first 64 only") {
  FoldOptions options;
  options.premul_mask = ~std::uint64_t{0};
  options.factor_bits = ReduceOp::premul_sum(std::int32_t{2}).factor_bits();
  const std::int32_t one = 1;
  const std::vector<const void*> sources(70, &one);
  std::int32_t sum = 0;
  const auto fold = roce::reduce::fold_function(DataType::Int32, ReduceOp::Kind::PremulSum);
  fold(&sum, sources.data(), sources.size(), 1, options);
  CHECK(sum == 64 * 2 + 6);
}

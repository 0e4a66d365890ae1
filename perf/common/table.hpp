// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "perf/common/options.hpp"
#include "perf/common/result.hpp"

namespace roce::perf {

/// The text that nccl-tests' users know. Each returns whole lines.
[[nodiscard]] std::string table_header(const Options& options, const RunResult& result);
[[nodiscard]] std::string table_row(const Options& options, const ResultRow& row, int ranks);
[[nodiscard]] std::string table_footer(const Options& options, const RunResult& result);

/// `value` in at most `width` characters: two decimals, fewer as it grows, then an exponent.
[[nodiscard]] std::string fixed_width(double value, int width);

}  // namespace roce::perf

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roce::perf {

/// Bytes from "8", "1K", "1.5M", "2g": binary units K, M, G, T as in nccl-tests. Throws roce::Error
/// (InvalidArgument).
[[nodiscard]] std::size_t parse_size(std::string_view text);

/// "8 B", "1 KiB", "1.5 MiB": at most three significant digits.
[[nodiscard]] std::string format_size(std::size_t bytes);

}  // namespace roce::perf

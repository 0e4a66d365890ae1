// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// Catch2 2 (Debian 12, Ubuntu 22.04) and 3 have different headers and the same macros.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#define ROCE_CATCH_CONTAINS Catch::Matchers::ContainsSubstring
#define ROCE_CATCH_APPROX Catch::Approx
#else
#include <catch2/catch.hpp>
#define ROCE_CATCH_CONTAINS Catch::Matchers::Contains
#define ROCE_CATCH_APPROX Catch::Detail::Approx
#endif

namespace roce::test {

/// Matches a string that contains `text`.
inline auto contains(const std::string& text) { return ROCE_CATCH_CONTAINS(text); }
/// Equals a double up to rounding.
inline auto approx(double value) { return ROCE_CATCH_APPROX(value); }

}  // namespace roce::test
#undef ROCE_CATCH_CONTAINS
#undef ROCE_CATCH_APPROX

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Catch2 2 (Debian 12, Ubuntu 22.04) and 3 have different headers and the same macros.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

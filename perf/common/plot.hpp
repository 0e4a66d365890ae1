// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "perf/common/series.hpp"

namespace roce::perf {

/// An SVG document that draws time against size, both logarithmic, one line a series, legend below.
/// Throws roce::Error (InvalidArgument) when there is no point to draw.
[[nodiscard]] std::string plot_svg(const std::string& title, const std::string& subtitle,
                                   std::span<const Series> series);

}  // namespace roce::perf

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "topology/node/node_report.hpp"

namespace roce::topology {

/// A report as JSON on one line, for the exchange between ranks. Nothing is lost.
[[nodiscard]] std::string to_json(const NodeReport& report);

/// The report again. Throws roce::Error (InvalidArgument) that says where the text is wrong.
[[nodiscard]] NodeReport report_from_json(std::string_view text);

}  // namespace roce::topology

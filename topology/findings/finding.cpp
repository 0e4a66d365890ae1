// SPDX-License-Identifier: Apache-2.0
#include "topology/findings/finding.hpp"

#include <algorithm>
#include <utility>

#include "roce/status.hpp"

namespace roce::topology {

std::string_view to_string(Severity severity) noexcept {
  switch (severity) {
    case Severity::Info:
      return "info";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      return "error";
  }
  return "unknown";
}

Finding make_finding(std::string_view code, std::string node, std::string hca, std::string seen) {
  const auto& kinds = finding_kinds();
  const auto kind = std::ranges::find(kinds, code, &FindingKind::code);
  if (kind == kinds.end()) {
    throw Error(ErrorCode::Internal, "no kind of finding has the code " + std::string(code));
  }
  return {.code = std::string(code),
          .severity = kind->severity,
          .node = std::move(node),
          .hca = std::move(hca),
          .message = std::move(seen) + "; " + std::string(kind->remedy)};
}

}  // namespace roce::topology

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace roce::topology {

enum class Severity : std::uint8_t { Info, Warning, Error };
[[nodiscard]] std::string_view to_string(Severity severity) noexcept;

/// Something wrong or wasteful that the detector saw.
struct Finding {
  std::string code;  ///< stable: "gid.none"; all are in finding_kinds()
  Severity severity = Severity::Info;
  std::string node;     ///< host; empty when it is about the whole fabric
  std::string hca;      ///< empty when it is about the node
  std::string message;  ///< what was seen, and what to do about it
};

/// A kind of finding, for the documentation.
struct FindingKind {
  std::string_view code;
  Severity severity;
  std::string_view meaning;
  std::string_view remedy;
};

/// All kinds, by code. The table in docs/findings.md is made from it.
[[nodiscard]] const std::vector<FindingKind>& finding_kinds();

/// A finding of a kind, with its severity; `seen` is a clause that says what was seen, and the
/// kind's remedy is added to it. Throws roce::Error (Internal) for an unknown code.
[[nodiscard]] Finding make_finding(std::string_view code, std::string node, std::string hca,
                                   std::string seen);

}  // namespace roce::topology

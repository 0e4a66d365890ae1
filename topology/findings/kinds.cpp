// SPDX-License-Identifier: Apache-2.0
#include "topology/findings/finding.hpp"

namespace roce::topology {

const std::vector<FindingKind>& finding_kinds() {
  static const std::vector<FindingKind> kinds{
      {"gid.none", Severity::Error, "an active device has no GID that can carry RoCE v2",
       "give its netdev an IPv4 address"},
  };
  return kinds;
}

}  // namespace roce::topology

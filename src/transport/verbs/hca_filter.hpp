// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roce::transport::verbs {

/// Which devices and ports may be used, written as NCCL_IB_HCA is: names separated by commas, each
/// with an optional :port. A device matches when it begins with a name; with "=" in front of the
/// list names must be equal, with "^" matches are excluded, and "^=" is both.
class HcaFilter {
 public:
  /// An empty text allows everything. Throws roce::Error (InvalidArgument).
  explicit HcaFilter(std::string_view text);
  [[nodiscard]] bool allows(std::string_view device, int port) const noexcept;

 private:
  struct Entry {
    std::string device;
    std::optional<int> port;
  };
  std::vector<Entry> entries_;
  bool exact_ = false;
  bool excludes_ = false;
};

}  // namespace roce::transport::verbs

// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/hca_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "roce/status.hpp"

namespace roce::transport::verbs {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view entry) {
  throw Error(
      ErrorCode::InvalidArgument,
      fmt::format("ROCE_HCA={} is not valid at '{}'; give device names separated by commas, "
                  "for example mlx5_0:1,mlx5_1 or =mlx5_0 or ^mlx5_2",
                  text, entry));
}

}  // namespace

HcaFilter::HcaFilter(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('^')) {
    excludes_ = true;
    rest.remove_prefix(1);
  }
  if (rest.starts_with('=')) {
    exact_ = true;
    rest.remove_prefix(1);
  }
  if (rest.empty() && rest.size() != text.size()) refuse(text, text);
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    const std::size_t colon = entry.find(':');
    Entry parsed{std::string(entry.substr(0, colon)), std::nullopt};
    if (parsed.device.empty()) refuse(text, entry);
    if (colon != std::string_view::npos) {
      int port = 0;
      const char* const end = entry.data() + entry.size();
      const auto [stop, error] = std::from_chars(entry.data() + colon + 1, end, port);
      if (error != std::errc{} || stop != end || port < 1) refuse(text, entry);
      parsed.port = port;
    }
    entries_.push_back(std::move(parsed));
  }
}

bool HcaFilter::allows(std::string_view device, int port) const noexcept {
  if (entries_.empty()) return true;
  const bool listed = std::ranges::any_of(entries_, [&](const Entry& entry) {
    const bool named = exact_ ? device == entry.device : device.starts_with(entry.device);
    return named && (!entry.port || *entry.port == port);
  });
  return listed != excludes_;
}

}  // namespace roce::transport::verbs

// SPDX-License-Identifier: Apache-2.0
#include "roce/status.hpp"

#include <utility>

namespace roce {
namespace {

class Category final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "roce"; }
  [[nodiscard]] std::string message(int value) const override {
    return std::string(to_string(static_cast<ErrorCode>(value)));
  }
};

}  // namespace

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::Ok:
      return "ok";
    case ErrorCode::InvalidArgument:
      return "invalid argument";
    case ErrorCode::Timeout:
      return "timeout";
    case ErrorCode::PeerFailed:
      return "peer failed";
    case ErrorCode::Aborted:
      return "aborted";
    case ErrorCode::Resource:
      return "resource refused";
    case ErrorCode::Mismatch:
      return "ranks do not agree";
    case ErrorCode::Unsupported:
      return "unsupported";
    case ErrorCode::Transport:
      return "transport failed";
    case ErrorCode::Internal:
      return "internal error";
  }
  return "unknown error";
}

const std::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

void Status::throw_if_failed() const {
  if (!ok()) throw Error(failure_->code, failure_->message);
}

Error::Error(ErrorCode code, std::string message)
    : std::system_error(make_error_code(code)), message_(std::move(message)) {}
Error::~Error() = default;

}  // namespace roce

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "roce/export.hpp"

namespace roce {

/// What went wrong, as a stable number. The C API's roce_result_t has the same values.
enum class ErrorCode : int {
  Ok = 0,
  /// A call that can never succeed as written: a null buffer, a bad count, a bad setting.
  InvalidArgument = 1,
  /// A wait passed its deadline.
  Timeout = 2,
  /// A peer's process ended, or its connection broke.
  PeerFailed = 3,
  /// The communicator was aborted here or by a peer.
  Aborted = 4,
  /// The operating system or a device refused a resource: memory, a port, a queue pair.
  Resource = 5,
  /// Ranks do not agree: different settings, sizes, versions, or a wrong secret.
  Mismatch = 6,
  /// This build, machine or fabric cannot do what was asked for.
  Unsupported = 7,
  /// The network or a device failed in flight.
  Transport = 8,
  /// A defect of this library.
  Internal = 9,
};

[[nodiscard]] ROCE_API std::string_view to_string(ErrorCode code) noexcept;
/// The category "roce" under which ErrorCode converts to std::error_code.
[[nodiscard]] ROCE_API const std::error_category& error_category() noexcept;
[[nodiscard]] inline std::error_code make_error_code(ErrorCode code) noexcept {
  return {static_cast<int>(code), error_category()};
}

/// Everything known about a failure in flight. Unknown ranks are -1 and unknown names empty.
struct Failure {
  ErrorCode code = ErrorCode::Internal;
  int reporter = -1;          ///< the rank that noticed it first
  int culprit = -1;           ///< the rank that it was waiting for, or that died
  std::string schedule;       ///< for example "all_reduce/one_shot"
  std::string operation;      ///< for example "op 3: wait(slot 2)"
  std::string local_device;   ///< for example "shm" or "mlx5_0:1"
  std::string remote_device;  ///< the peer's, where known
  std::string message;        ///< one sentence for a person, with what to do
};

/// The outcome of an operation in flight. Cheap when it is ok: no allocation, no lock.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  explicit Status(Failure failure)
      : failure_(std::make_shared<const Failure>(std::move(failure))) {}
  explicit Status(std::shared_ptr<const Failure> failure) noexcept : failure_(std::move(failure)) {}

  [[nodiscard]] bool ok() const noexcept { return failure_ == nullptr; }
  explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] ErrorCode code() const noexcept { return ok() ? ErrorCode::Ok : failure_->code; }
  /// "ok", or the failure's sentence.
  [[nodiscard]] std::string_view message() const noexcept {
    return ok() ? std::string_view("ok") : std::string_view(failure_->message);
  }
  /// The details, or null when ok. Lives as long as a copy of this Status.
  [[nodiscard]] const Failure* failure() const noexcept { return failure_.get(); }
  /// Throws roce::Error unless ok.
  ROCE_API void throw_if_failed() const;

 private:
  std::shared_ptr<const Failure> failure_;
};

/// Thrown while communicators, plans and schedules are built. code() compares with ErrorCode.
class ROCE_API Error : public std::system_error {
 public:
  /// `message` is the whole sentence; what() returns exactly that.
  Error(ErrorCode code, std::string message);
  ~Error() override;
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

}  // namespace roce

template <>
struct std::is_error_code_enum<roce::ErrorCode> : std::true_type {};

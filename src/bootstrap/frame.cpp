// SPDX-License-Identifier: Apache-2.0
#include "src/bootstrap/frame.hpp"

#include <algorithm>

namespace roce::bootstrap {
namespace {

// A payload's buffer grows as its bytes arrive, so that a length alone costs no memory.
constexpr std::size_t first_space = std::size_t{64} << 10;

}  // namespace

SharedBytes encode_frame(FrameType type, std::uint32_t sequence,
                         std::span<const std::byte> payload) {
  WireWriter writer;
  writer.put(static_cast<std::uint32_t>(payload.size()))
      .put(sequence)
      .put(static_cast<std::uint32_t>(type))
      .put(payload);
  return std::make_shared<const Bytes>(std::move(writer).bytes());
}

std::span<std::byte> FrameDecoder::space() {
  if (!in_payload_) return std::span(header_).subspan(have_);
  Bytes& payload = frame_.payload;
  if (have_ == payload.size()) payload.resize(std::min(want_, std::max(first_space, 2 * have_)));
  return std::span(payload).subspan(have_);
}

bool FrameDecoder::advance(std::size_t count) {
  have_ += count;
  if (!in_payload_) {
    if (have_ < header_bytes_) return true;
    if (!begin_payload()) return false;
  }
  if (in_payload_ && have_ == want_) {
    frames_.push_back(std::move(frame_));
    frame_ = Frame{};
    in_payload_ = false;
    have_ = 0;
  }
  return true;
}

bool FrameDecoder::begin_payload() {
  WireReader reader(header_);
  want_ = reader.get<std::uint32_t>();
  frame_.sequence = reader.get<std::uint32_t>();
  const auto type = reader.get<std::uint32_t>();
  if (type < static_cast<std::uint32_t>(FrameType::Data) ||
      type > static_cast<std::uint32_t>(FrameType::Go)) {
    return false;
  }
  frame_.type = static_cast<FrameType>(type);
  in_payload_ = true;
  have_ = 0;
  return want_ <= (frame_.type == FrameType::Data ? max_data_bytes : max_control_bytes);
}

Failure make_failure(ErrorCode code, int reporter, int culprit, std::string message) {
  Failure failure;
  failure.code = code;
  failure.reporter = reporter;
  failure.culprit = culprit;
  failure.message = std::move(message);
  return failure;
}

Bytes encode_failure(const Failure& failure) {
  WireWriter writer;
  writer.put(static_cast<std::int32_t>(failure.code))
      .put(static_cast<std::int32_t>(failure.reporter))
      .put(static_cast<std::int32_t>(failure.culprit));
  for (const std::string* text : {&failure.schedule, &failure.operation, &failure.local_device,
                                  &failure.remote_device, &failure.message}) {
    writer.put(std::string_view(*text).substr(0, 4096));
  }
  return std::move(writer).bytes();
}

Failure decode_failure(std::span<const std::byte> payload) {
  WireReader reader(payload);
  Failure failure;
  const auto code = reader.get<std::int32_t>();
  if (code <= static_cast<int>(ErrorCode::Ok) || code > static_cast<int>(ErrorCode::Internal)) {
    throw Error(ErrorCode::Mismatch, "a failure notice has an unknown code");
  }
  failure.code = static_cast<ErrorCode>(code);
  failure.reporter = reader.get<std::int32_t>();
  failure.culprit = reader.get<std::int32_t>();
  for (std::string* text : {&failure.schedule, &failure.operation, &failure.local_device,
                            &failure.remote_device, &failure.message}) {
    *text = reader.text();
  }
  return failure;
}

}  // namespace roce::bootstrap

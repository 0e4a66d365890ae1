// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>

#include "roce/status.hpp"
#include "src/bootstrap/wire.hpp"

namespace roce::bootstrap {

/// What runs over a connection once both ends have proved who they are.
enum class FrameType : std::uint8_t {
  Data = 1,     ///< one rank's part of an all-gather; the sequence number counts all-gathers
  Failure = 2,  ///< a failure notice
  Invite = 3,   ///< where the survivors of a shrink meet
  Goodbye = 4,  ///< the sender closes on purpose
  Join = 5,     ///< to rank 0: where the sender listens
  Missing = 6,  ///< from rank 0: the ranks that have not come yet
  Roster = 7,   ///< from rank 0: where everybody listens
  Ready = 8,    ///< to rank 0: the sender has its connections
  Go = 9,       ///< from rank 0: everybody has
};

/// The longest payload of a Data frame.
inline constexpr std::size_t max_data_bytes = std::size_t{64} << 20;
/// The longest payload of any other frame.
inline constexpr std::size_t max_control_bytes = std::size_t{4} << 20;

struct Frame {
  FrameType type = FrameType::Goodbye;
  std::uint32_t sequence = 0;
  Bytes payload;
};

/// A frame as bytes on the wire, shared by the queues of all peers it goes to.
using SharedBytes = std::shared_ptr<const Bytes>;
[[nodiscard]] SharedBytes encode_frame(FrameType type, std::uint32_t sequence,
                                       std::span<const std::byte> payload);

/// Cuts a stream of bytes into frames.
class FrameDecoder {
 public:
  /// Where the next bytes go; never empty. Never asks for more memory than twice what came so far.
  [[nodiscard]] std::span<std::byte> space();
  /// `count` bytes were written into space(). Returns false when they are no frame: an unknown
  /// type or too long.
  [[nodiscard]] bool advance(std::size_t count);
  /// Complete frames, oldest first.
  [[nodiscard]] std::deque<Frame>& frames() noexcept { return frames_; }

 private:
  [[nodiscard]] bool begin_payload();

  static constexpr std::size_t header_bytes_ = 12;
  std::array<std::byte, header_bytes_> header_{};
  std::size_t have_ = 0;  // bytes of the header, then of the payload
  std::size_t want_ = 0;  // length of the payload
  bool in_payload_ = false;
  Frame frame_;
  std::deque<Frame> frames_;
};

/// A failure of the bootstrap itself, without schedule and devices.
[[nodiscard]] Failure make_failure(ErrorCode code, int reporter, int culprit, std::string message);

/// A Failure as a payload. The texts are cut to 4 KiB each.
[[nodiscard]] Bytes encode_failure(const Failure& failure);
/// The inverse. Throws Error (Mismatch) on bytes that are no failure.
[[nodiscard]] Failure decode_failure(std::span<const std::byte> payload);

}  // namespace roce::bootstrap

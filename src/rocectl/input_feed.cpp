// SPDX-License-Identifier: Apache-2.0
#include "src/rocectl/input_feed.hpp"

#include <array>
#include <csignal>

namespace roce::rocectl {

InputFeed::InputFeed() {
  if (::isatty(STDIN_FILENO) == 0) return;
  Pipe pipe = Pipe::make();
  rank_end_ = std::move(pipe.read_end);
  feed_end_ = std::move(pipe.write_end);
  ::fcntl(feed_end_.get(), F_SETFL, O_NONBLOCK);
  // Reading while in the background, or writing after the rank has closed, is an error to see.
  ::signal(SIGTTIN, SIG_IGN);
}

int InputFeed::rank_end() const noexcept {
  return rank_end_.is_open() ? rank_end_.get() : STDIN_FILENO;
}

bool InputFeed::may_read() const noexcept {
  return feed_end_.is_open() && pending_.empty() && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

void InputFeed::add_to(std::vector<pollfd>& waiting) const {
  if (may_read()) waiting.push_back({STDIN_FILENO, POLLIN, 0});
  if (feed_end_.is_open()) {
    waiting.push_back({feed_end_.get(), static_cast<short>(pending_.empty() ? 0 : POLLOUT), 0});
  }
}

void InputFeed::pump() {
  pollfd terminal{STDIN_FILENO, POLLIN, 0};
  if (may_read() && ::poll(&terminal, 1, 0) == 1) {
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count > 0) pending_.assign(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0) ended_ = true;
  }
  pollfd feed{feed_end_.get(), POLLOUT, 0};
  if (!feed_end_.is_open() || ::poll(&feed, 1, 0) != 1) return;
  if ((feed.revents & POLLERR) != 0) {
    feed_end_.close();
    return;
  }
  const ssize_t written = ::write(feed_end_.get(), pending_.data(), pending_.size());
  if (written > 0) pending_.erase(0, static_cast<std::size_t>(written));
  if (ended_ && pending_.empty()) feed_end_.close();
}

}  // namespace roce::rocectl

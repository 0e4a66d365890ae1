// SPDX-License-Identifier: Apache-2.0
#include "src/rocectl/guardian.hpp"

#include <sys/wait.h>

#include <csignal>
#include <vector>

namespace roce::rocectl {
namespace {

[[noreturn]] void stand_guard(int line) {
  // Out of reach of the terminal's signals and of a kill of the whole group.
  ::setsid();
  std::vector<pid_t> groups;
  pid_t group = 0;
  for (;;) {
    const ssize_t count = ::read(line, &group, sizeof group);
    if (count == sizeof group && group > 0) {
      groups.push_back(group);
    } else if (count == sizeof group) {
      std::erase(groups, -group);
    } else if (count >= 0 || errno != EINTR) {
      break;
    }
  }
  for (const pid_t left : groups) ::kill(-left, SIGKILL);
  ::_exit(0);
}

}  // namespace

Guardian::Guardian() {
  Pipe pipe = Pipe::make();
  pid_ = ::fork();
  if (pid_ < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot start another process");
  }
  if (pid_ == 0) {
    pipe.write_end.close();
    // Its caller's readers would wait for it.
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(fd);
    stand_guard(pipe.read_end.get());
  }
  line_ = std::move(pipe.write_end);
}

Guardian::~Guardian() {
  line_.close();
  ::waitpid(pid_, nullptr, 0);
}

void Guardian::watch(pid_t group) noexcept {
  // Less than PIPE_BUF, so whole or not at all.
  (void)!::write(line_.get(), &group, sizeof group);
}

void Guardian::forget(pid_t group) noexcept { watch(-group); }

}  // namespace roce::rocectl

// SPDX-License-Identifier: Apache-2.0
#include "src/rocectl/rank_process.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>

namespace roce::rocectl {
namespace {

void bind_to_core(int index) {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  int wanted = index % CPU_COUNT(&allowed);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || wanted-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    (void)::sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

void become(int source, int target) {
  if (source >= 0 && ::dup2(source, target) < 0) ::_exit(126);
}

// In the child, between fork and exec.
void set_up(const RankCommand& command, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(126);
  const FileDescriptor nothing(command.input >= 0 ? -1 : ::open("/dev/null", O_RDONLY | O_CLOEXEC));
  become(command.input >= 0 ? command.input : nothing.get(), STDIN_FILENO);
  become(command.output, STDOUT_FILENO);
  become(command.error, STDERR_FILENO);
  if (command.core) bind_to_core(*command.core);
  for (const auto& [name, value] : command.environment) ::setenv(name.c_str(), value.c_str(), 1);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGTTIN, SIG_DFL);
}

[[noreturn]] void execute(const RankCommand& command, int error_pipe) {
  std::vector<std::string> texts = command.arguments;
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  const int error = errno;
  (void)!::write(error_pipe, &error, sizeof error);
  ::_exit(127);
}

}  // namespace

RankProcess::RankProcess(const RankCommand& command) {
  Pipe refusal = Pipe::make();
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot start another process");
  }
  if (pid_ == 0) {
    set_up(command, parent);
    execute(command, refusal.write_end.get());
  }
  running_ = true;
  // Both sides set it, so that neither can signal the group before it exists.
  ::setpgid(pid_, pid_);
  refusal.write_end.close();
  int error = 0;
  ssize_t count = 0;
  do {
    count = ::read(refusal.read_end.get(), &error, sizeof error);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return;
  ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  throw ProgramError(error, std::generic_category(),
                     "cannot start '" + command.arguments.front() + "'");
}

RankProcess::RankProcess(RankProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), running_(std::exchange(other.running_, false)) {}

RankProcess::~RankProcess() {
  signal_group(SIGKILL);
  if (running_) ::waitpid(pid_, nullptr, 0);
}

std::optional<int> RankProcess::poll_end() noexcept {
  int status = 0;
  if (!running_ || ::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  running_ = false;
  return status;
}

bool RankProcess::poll_group() noexcept {
  if (running_) return true;
  if (pid_ <= 0) return false;
  while (::waitpid(-pid_, nullptr, WNOHANG) > 0) {
  }
  if (::kill(-pid_, 0) != 0) pid_ = -1;
  return pid_ > 0;
}

void RankProcess::signal_group(int signal) const noexcept {
  if (pid_ <= 0) return;
  (void)::kill(-pid_, signal);
  // A stopped process acts on a signal only once it goes on.
  if (signal == SIGTERM || signal == SIGINT) (void)::kill(-pid_, SIGCONT);
}

}  // namespace roce::rocectl

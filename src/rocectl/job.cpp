// SPDX-License-Identifier: Apache-2.0
#include "src/rocectl/job.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "roce/unique_id.hpp"

namespace roce::rocectl {
namespace {

constexpr std::chrono::seconds grace{5};
// After the last rank's end, for output that one of its children still holds a pipe for.
constexpr std::chrono::milliseconds output_grace{300};
constexpr int turn_ms = 200;

void say(const std::string& text) { std::fputs(("rocectl: " + text + "\n").c_str(), stderr); }

// Signals become readable here; the ranks' mask is cleared when they start.
FileDescriptor open_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  const int fd = ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "cannot watch for signals");
  return FileDescriptor(fd);
}

}  // namespace

Job::Job(JobOptions options) : options_(std::move(options)), signals_(open_signals()) {
  // Orphans of the ranks come to this process, which collects them wherever it runs.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int Job::run() {
  guardian_ = std::make_unique<Guardian>();
  try {
    start_ranks();
  } catch (const ProgramError& error) {
    say(error.what());
    end_all(error.exit_status());
  }
  if (options_.timeout) end_of_time_ = Clock::now() + *options_.timeout;
  loop();
  return status_;
}

void Job::start_ranks() {
  const std::string rendezvous = UniqueId::generate("127.0.0.1").to_string();
  for (int rank = 0; rank < options_.size; ++rank) start_rank(rank, rendezvous);
}

void Job::start_rank(int rank, const std::string& rendezvous) {
  const std::string number = std::to_string(rank);
  RankCommand command{.arguments = options_.arguments,
                      .environment = {{"ROCE_RANK", number},
                                      {"ROCE_LOCAL_RANK", number},
                                      {"ROCE_SIZE", std::to_string(options_.size)},
                                      {"ROCE_RENDEZVOUS", rendezvous}},
                      .core = options_.bind_to_cores ? std::optional(rank) : std::nullopt};
  if (rank == 0) command.input = input_.rank_end();
  Pipe output;
  Pipe error;
  if (options_.prefix) {
    output = Pipe::make();
    error = Pipe::make();
    command.output = output.write_end.get();
    command.error = error.write_end.get();
  }
  ranks_.emplace_back(command);
  guardian_->watch(ranks_.back().group());
  if (rank == 0) input_.rank_started();
  if (!options_.prefix) return;
  const std::string prefix = "[" + number + "] ";
  outputs_.emplace_back(std::move(output.read_end), STDOUT_FILENO, prefix);
  outputs_.emplace_back(std::move(error.read_end), STDERR_FILENO, prefix);
}

void Job::loop() {
  while (!over()) {
    wait_for_news();
    take_signals();
    for (auto& output : outputs_) {
      pollfd ready{output.fd(), POLLIN, 0};
      if (output.is_open() && ::poll(&ready, 1, 0) == 1) output.pump();
    }
    input_.pump();
    reap();
    check_time();
  }
}

void Job::wait_for_news() {
  std::vector<pollfd> waiting{{signals_.get(), POLLIN, 0}};
  for (const auto& output : outputs_) {
    if (output.is_open()) waiting.push_back({output.fd(), POLLIN, 0});
  }
  input_.add_to(waiting);
  const auto next = std::min({end_of_time_, end_of_grace_, end_of_output_,
                              Clock::now() + std::chrono::milliseconds(ending_ ? 10 : turn_ms)});
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
  (void)::poll(waiting.data(), waiting.size(), static_cast<int>(std::max<long>(left, 0)));
}

void Job::take_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) continue;
    ++signals_passed_on_;
    signal_all(signals_passed_on_ > 1 ? SIGKILL : signal);
  }
}

void Job::reap() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (const auto wait_status = ranks_[rank].poll_end()) note_end(rank, *wait_status);
  }
  groups_left_ = false;
  for (RankProcess& rank : ranks_) {
    const pid_t group = rank.group();
    if (rank.poll_group()) {
      groups_left_ = true;
    } else if (group > 0) {
      guardian_->forget(group);
    }
  }
  const bool all_ended = std::ranges::none_of(ranks_, &RankProcess::running);
  if (!all_ended || end_of_output_ != Clock::time_point::max()) return;
  end_of_output_ = Clock::now() + output_grace;
  // What the ranks have left running must not outlive the job.
  end_all(status_);
}

void Job::note_end(std::size_t rank, int wait_status) {
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0) return;
  const bool signalled = WIFSIGNALED(wait_status);
  const int status = signalled ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  // What ends after the first failure was ended by rocectl.
  if (ending_) return;
  const auto others = std::ranges::count_if(ranks_, &RankProcess::running);
  say(fmt::format("rank {} {}{}", rank,
                  signalled ? fmt::format("was ended by signal {} ({})", WTERMSIG(wait_status),
                                          ::strsignal(WTERMSIG(wait_status)))
                            : fmt::format("ended with status {}", status),
                  others > 0 ? fmt::format("; ending the other {}", others) : ""));
  end_all(status);
}

void Job::end_all(int status) {
  if (ending_) return;
  ending_ = true;
  status_ = status;
  end_of_grace_ = Clock::now() + grace;
  signal_all(SIGTERM);
}

void Job::check_time() {
  const auto now = Clock::now();
  if (now >= end_of_time_ && !ending_) {
    end_of_time_ = Clock::time_point::max();
    say(fmt::format("the job ran longer than {} ms; ending it", options_.timeout->count()));
    end_all(124);
  }
  if (now >= end_of_grace_ && !killed_) {
    killed_ = true;
    end_of_grace_ = Clock::time_point::max();
    signal_all(SIGKILL);
  }
}

void Job::signal_all(int signal) {
  for (const auto& rank : ranks_) rank.signal_group(signal);
}

bool Job::over() const {
  if (!ending_ || std::ranges::any_of(ranks_, &RankProcess::running)) return false;
  if (groups_left_ && !killed_) return false;
  const bool output_left = std::ranges::any_of(outputs_, &OutputPrefixer::is_open);
  return !output_left || Clock::now() >= end_of_output_;
}

}  // namespace roce::rocectl

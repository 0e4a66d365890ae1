// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/rocectl/guardian.hpp"
#include "src/rocectl/input_feed.hpp"
#include "src/rocectl/output_prefixer.hpp"
#include "src/rocectl/rank_process.hpp"

namespace roce::rocectl {

struct JobOptions {
  int size = 1;
  bool prefix = false;                               ///< "[rank] " before each line of output
  std::optional<std::chrono::milliseconds> timeout;  ///< of the whole job
  bool bind_to_cores = false;
  std::vector<std::string> arguments;  ///< the program first
};

/// Local ranks of one program, from their start to their end.
class Job {
 public:
  explicit Job(JobOptions options);

  /// Runs the job and returns its exit status: 0 when every rank ended with 0, else the first
  /// failing rank's (128 + signal when a signal ended it), 124 when the job's time is over, 127 or
  /// 126 when the program cannot be started. Passes SIGINT, SIGTERM and SIGHUP on to the ranks; the
  /// second such signal kills them.
  [[nodiscard]] int run();

 private:
  using Clock = std::chrono::steady_clock;

  void start_ranks();
  void start_rank(int rank, const std::string& rendezvous);
  void loop();
  void wait_for_news();
  void take_signals();
  void reap();
  void note_end(std::size_t rank, int wait_status);
  void end_all(int status);
  void check_time();
  void signal_all(int signal);
  [[nodiscard]] bool over() const;

  JobOptions options_;
  FileDescriptor signals_;
  std::unique_ptr<Guardian> guardian_;
  std::vector<RankProcess> ranks_;
  std::vector<OutputPrefixer> outputs_;
  InputFeed input_;
  int status_ = 0;
  int signals_passed_on_ = 0;
  bool ending_ = false;
  bool killed_ = false;
  bool groups_left_ = false;
  Clock::time_point end_of_time_ = Clock::time_point::max();
  Clock::time_point end_of_grace_ = Clock::time_point::max();
  Clock::time_point end_of_output_ = Clock::time_point::max();
};

}  // namespace roce::rocectl

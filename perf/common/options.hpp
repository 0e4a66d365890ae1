// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "roce/config.hpp"
#include "roce/types.hpp"

namespace roce::perf {

/// -a: which of the ranks' times is reported.
enum class Average { Rank0, Mean, Min, Max };

/// -z: when an operation is waited for, and whether a barrier follows.
enum class Blocking {
  None,           ///< the -m operations of an iteration are in flight together
  WaitBarrier,    ///< each operation is waited for and a barrier follows; both are timed
  Wait,           ///< each operation is waited for
  BarrierOutside  ///< a barrier follows each iteration and is not timed
};

/// What the command line asks for. Letters are nccl-tests'.
struct Options {
  Collective collective = Collective::AllReduce;
  std::string program;
  std::vector<std::string> arguments;  ///< as typed, the program first

  int threads = 1;                                       ///< -t: ranks in this process
  std::size_t min_bytes = std::size_t{32} << 20;         ///< -b
  std::size_t max_bytes = std::size_t{32} << 20;         ///< -e
  std::size_t step_bytes = std::size_t{1} << 20;         ///< -i
  std::size_t step_factor = 1;                           ///< -f, above 1 it replaces -i
  int iterations = 20;                                   ///< -n
  int warmup = 1;                                        ///< -w
  int aggregate = 1;                                     ///< -m
  long cycles = 1;                                       ///< -N, 0 is until interrupted
  int checks = 1;                                        ///< -c, 0 checks nothing
  std::vector<DataType> types{DataType::Float32};        ///< -d
  std::vector<ReduceOp::Kind> ops{ReduceOp::Kind::Sum};  ///< -o
  int root = 0;                                          ///< -r, -1 is all
  Blocking blocking = Blocking::None;                    ///< -z
  Average average = Average::Mean;                       ///< -a
  bool cpu_time = false;                                 ///< -C
  int local_register = 0;                                ///< -R
  int unalign = 0;                                       ///< -u, elements
  int timeout_seconds = 0;                               ///< -T, 0 is none
  std::string json_file;                                 ///< -J

  bool percentiles = false;
  bool show_schedule = false;
  std::string schedule;
  std::string plot_file;
  std::vector<std::string> compare_files;
  Config config;  ///< the environment's, with --transport, --numerics and -T over it

  /// The size after `bytes`, or empty after the last.
  [[nodiscard]] std::optional<std::size_t> size_after(std::size_t bytes) const noexcept;
};

/// A command line's meaning, or with what to end.
struct ParsedOptions {
  std::optional<Options> options;
  int exit_status = 0;
  std::string message;  ///< help for stdout when the status is 0, else an error for stderr
};

/// Reads the command line and the environment. Does not print or throw.
[[nodiscard]] ParsedOptions parse_options(Collective collective, int argc, const char* const* argv);

}  // namespace roce::perf

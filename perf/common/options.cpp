// SPDX-License-Identifier: Apache-2.0
#include "perf/common/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "perf/common/shape.hpp"
#include "perf/common/size.hpp"
#include "roce/status.hpp"

namespace roce::perf {
namespace {

constexpr int usage_status = 2;

// Options as text, before they are understood.
struct RawOptions {
  std::string min_bytes = "32M";
  std::string max_bytes = "32M";
  std::string step_bytes = "1M";
  std::string type = "float";
  std::string op = "sum";
  std::string root = "0";
  std::string transport;
  std::string numerics;
  int gpus = 1;
  int graph_launches = 0;
  int blocking = 0;
  int average = 1;
  int cpu_time = 0;
};

[[noreturn]] void refuse(ErrorCode code, const std::string& message) { throw Error(code, message); }

void add_size_options(CLI::App& app, RawOptions& raw, Options& options) {
  const char* group = "Sizes";
  app.add_option("-b,--minbytes", raw.min_bytes, "Smallest size: bytes, or with K, M, G")
      ->group(group)
      ->capture_default_str();
  app.add_option("-e,--maxbytes", raw.max_bytes, "Largest size")
      ->group(group)
      ->capture_default_str();
  app.add_option("-i,--stepbytes", raw.step_bytes, "Add this between sizes")
      ->group(group)
      ->capture_default_str();
  app.add_option("-f,--stepfactor", options.step_factor,
                 "Multiply by this between sizes instead of adding -i")
      ->group(group);
}

void add_operation_options(CLI::App& app, RawOptions& raw, Options& options) {
  const char* group = "Operation";
  if (reduces(options.collective)) {
    app.add_option("-o,--op", raw.op, "sum, prod, max, min, avg, mulsum or all")
        ->group(group)
        ->capture_default_str();
  } else {
    app.add_option("-o,--op", raw.op, "Ignored: this collective does not reduce")->group(group);
  }
  app.add_option("-d,--datatype", raw.type,
                 "int8, uint8, int32, uint32, int64, uint64, half, float, double, bfloat16, "
                 "f8e4m3, f8e5m2 or all")
      ->group(group)
      ->capture_default_str();
  app.add_option("-r,--root", raw.root, "Root rank or all; broadcast only")
      ->group(group)
      ->capture_default_str();
  app.add_option("--schedule", options.schedule, "A name from 'rocectl schedule list'")
      ->group(group);
  app.add_option("--transport", raw.transport, "As ROCE_TRANSPORT, for example shm")->group(group);
  app.add_option("--numerics", raw.numerics,
                 "As ROCE_NUMERICS: the weakest accepted, rank_ordered or agreed")
      ->group(group);
}

void add_measurement_options(CLI::App& app, RawOptions& raw, Options& options) {
  const char* group = "Measurement";
  app.add_option("-t,--nthreads", options.threads, "Ranks of this process, a thread each")
      ->group(group)
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("-g,--ngpus", raw.gpus, "Only 1: a rank is a CPU thread")->group(group);
  app.add_option("-n,--iters", options.iterations, "Timed iterations of each size")
      ->group(group)
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  app.add_option("-w,--warmup_iters", options.warmup, "Iterations before, not timed")
      ->group(group)
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("-m,--agg_iters", options.aggregate, "Operations of each iteration")
      ->group(group)
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("-N,--run_cycles", options.cycles, "Repeat all sizes; 0 until interrupted")
      ->group(group)
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("-c,--check", options.checks, "Checked iterations of each size; 0 checks nothing")
      ->group(group)
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("-z,--blocking", raw.blocking,
                 "0 the -m operations overlap, 1 wait and barrier after each, 2 wait after each, "
                 "3 barrier after each iteration, not timed")
      ->group(group)
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  app.add_option("-a,--average", raw.average,
                 "Reported time over ranks: 0 rank 0, 1 average, 2 min, 3 max")
      ->group(group)
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  app.add_option("-C,--report_cputime", raw.cpu_time,
                 "1 reports the processor time of a rank's thread instead of elapsed time")
      ->group(group)
      ->check(CLI::Range(0, 1));
  app.add_option("-T,--timeout", options.timeout_seconds,
                 "Seconds after which a test of one size fails; 0 leaves ROCE_TIMEOUT")
      ->group(group)
      ->check(CLI::NonNegativeNumber);
  app.add_option("-G,--cudagraph", raw.graph_launches, "Unsupported: there is no GPU here")
      ->group(group);
  app.add_option("-R,--local_register", options.local_register,
                 "Accepted; this transport registers no user buffers")
      ->group(group)
      ->check(CLI::Range(0, 2));
  app.add_option("-u,--unalign", options.unalign, "Shift buffers by this many elements")
      ->group(group)
      ->check(CLI::Range(0, 4096));
}

void add_output_options(CLI::App& app, Options& options) {
  const char* group = "Output";
  app.add_flag("--percentiles", options.percentiles,
               "Add columns p50, p99, max: each iteration's slowest rank, over iterations")
      ->group(group);
  app.add_flag("--show-schedule", options.show_schedule, "Add a column with the schedule used")
      ->group(group);
  app.add_option("-J,--output_file", options.json_file, "Write a JSON report")->group(group);
  app.add_option("--plot", options.plot_file, "Draw time against size into this SVG file")
      ->group(group);
  app.add_option("--compare", options.compare_files,
                 "Draw the lines of this -J file into the plot too; may be repeated")
      ->group(group)
      ->expected(1)
      ->take_all()
      ->check(CLI::ExistingFile);
}

void understand_sizes(const RawOptions& raw, Options& options) {
  options.min_bytes = parse_size(raw.min_bytes);
  options.max_bytes = parse_size(raw.max_bytes);
  options.step_bytes = parse_size(raw.step_bytes);
  if (options.min_bytes > options.max_bytes) {
    refuse(ErrorCode::InvalidArgument,
           fmt::format("-b {} is more than -e {}", raw.min_bytes, raw.max_bytes));
  }
  if (options.step_factor <= 1 && options.step_bytes == 0) {
    refuse(ErrorCode::InvalidArgument, "-i must be more than 0, or use -f");
  }
  if (options.step_factor > 1 && options.min_bytes == 0 && options.max_bytes > 0) {
    refuse(ErrorCode::InvalidArgument, "-b 0 never grows by a factor; use -i, or a larger -b");
  }
}

void understand_operation(const RawOptions& raw, Options& options) {
  if (raw.type == "all") {
    options.types.clear();
    for (int i = 0; i < data_type_count; ++i) options.types.push_back(static_cast<DataType>(i));
  } else {
    options.types = {parse_data_type(raw.type)};
  }
  if (!reduces(options.collective)) {
    options.ops = {ReduceOp::Kind::Sum};
  } else if (raw.op == "all") {
    options.ops.clear();
    for (int i = 0; i < reduce_op_count; ++i) options.ops.push_back(static_cast<ReduceOp::Kind>(i));
  } else {
    options.ops = {parse_reduce_op(raw.op)};
  }
  if (raw.root == "all") {
    options.root = -1;
    return;
  }
  const char* end = raw.root.data() + raw.root.size();
  const auto parsed = std::from_chars(raw.root.data(), end, options.root);
  if (parsed.ec != std::errc{} || parsed.ptr != end || options.root < 0) {
    refuse(ErrorCode::InvalidArgument,
           fmt::format("-r '{}' is no rank; use a number or all", raw.root));
  }
}

void understand_limits(const RawOptions& raw, const Options& options) {
  if (raw.gpus != 1) {
    refuse(
        ErrorCode::Unsupported,
        fmt::format("-g {} is unsupported: a rank here is a CPU thread, so only -g 1; use -t for "
                    "more ranks in a process",
                    raw.gpus));
  }
  if (raw.graph_launches != 0) {
    refuse(ErrorCode::Unsupported,
           "-G is unsupported: buffers are in host memory and there is no CUDA graph to capture");
  }
  if (!options.compare_files.empty() && options.plot_file.empty()) {
    refuse(ErrorCode::InvalidArgument, "--compare needs --plot FILE.svg");
  }
  if (!options.plot_file.empty() && options.collective == Collective::Barrier) {
    refuse(ErrorCode::InvalidArgument, "--plot draws time against size, and a barrier has no size");
  }
}

void understand(const RawOptions& raw, Options& options) {
  understand_limits(raw, options);
  understand_sizes(raw, options);
  understand_operation(raw, options);
  options.blocking = static_cast<Blocking>(raw.blocking);
  options.average = static_cast<Average>(raw.average);
  options.cpu_time = raw.cpu_time != 0;
  options.config = Config::from_environment();
  if (!raw.transport.empty()) options.config.set("ROCE_TRANSPORT", raw.transport);
  if (!raw.numerics.empty()) options.config.set("ROCE_NUMERICS", raw.numerics);
  if (options.timeout_seconds > 0) {
    options.config.timeout = std::chrono::seconds(options.timeout_seconds);
  }
}

std::string example_footer(const std::string& program) {
  return fmt::format(
      "\nExamples:\n"
      "  rocectl run -n 4 -- {0} -b 8 -e 1M -f 2 -n 1000 -w 100   4 processes of this host\n"
      "  {0} -t 4 -b 8 -e 1M -f 2 --percentiles                   4 threads\n",
      program);
}

}  // namespace

std::optional<std::size_t> Options::size_after(std::size_t bytes) const noexcept {
  if (step_factor > 1) {
    if (bytes == 0 || bytes > max_bytes / step_factor) return std::nullopt;
    return bytes * step_factor;
  }
  if (bytes > max_bytes || step_bytes > max_bytes - bytes) return std::nullopt;
  return bytes + step_bytes;
}

ParsedOptions parse_options(Collective collective, int argc, const char* const* argv) {
  Options options;
  RawOptions raw;
  options.collective = collective;
  options.program = fmt::format("roce_{}_perf", to_string(collective));
  options.arguments.assign(argv, argv + argc);
  CLI::App app{fmt::format("Measures and checks {}; options and columns are nccl-tests'.",
                           to_string(collective)),
               options.program};
  app.footer(example_footer(options.program));
  app.get_formatter()->column_width(32);
  add_size_options(app, raw, options);
  add_operation_options(app, raw, options);
  add_measurement_options(app, raw, options);
  add_output_options(app, options);
  try {
    app.parse(argc, argv);
    understand(raw, options);
    return {std::move(options), 0, {}};
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream errors;
    const bool help = app.exit(error, out, errors) == 0;
    if (help) return {std::nullopt, 0, out.str()};
    return {
        std::nullopt, usage_status,
        fmt::format("{}: {}\nRun with --help for the options.\n", options.program, error.what())};
  } catch (const std::exception& error) {
    return {std::nullopt, usage_status, fmt::format("{}: {}\n", options.program, error.what())};
  }
}

}  // namespace roce::perf

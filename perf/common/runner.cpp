// SPDX-License-Identifier: Apache-2.0
#include "perf/common/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <numeric>

#include "perf/common/agreed_error.hpp"
#include "perf/common/buffer.hpp"
#include "perf/common/element.hpp"
#include "perf/common/gather.hpp"
#include "perf/common/measurement.hpp"
#include "perf/common/size.hpp"
#include "perf/common/verification.hpp"
#include "perf/common/watchdog.hpp"

namespace roce::perf {
namespace {

// Set by the signal handler on whichever thread it runs, read by every rank's thread. It orders
// nothing else.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void note_interrupt(int /*signal*/) { interrupted.store(true, std::memory_order_relaxed); }

class RankRunner {
 public:
  RankRunner(const Options& options, Communicator& communicator, std::vector<RankInfo> ranks,
             Report* report)
      : options_(options),
        communicator_(communicator),
        ranks_(std::move(ranks)),
        report_(report),
        watchdog_(communicator, std::chrono::seconds(options.timeout_seconds)),
        send_(buffer_bytes_each(options)),
        receive_(buffer_bytes_each(options)) {}

  void run();

 private:
  // What the rows of one table section have in common.
  struct Variant {
    DataType type;
    ReduceOp::Kind op;
    int root;
  };

  [[nodiscard]] std::vector<Variant> variants() const;
  void run_variant(const Variant& variant);
  void run_size(const Variant& variant, std::size_t bytes);
  void run_barrier();
  Measurement run_place(const Variant& variant, const Shape& shape, bool in_place);
  std::size_t verify(Operation& operation, Verification& verification);
  [[nodiscard]] bool should_stop();

  const Options& options_;
  Communicator& communicator_;
  std::vector<RankInfo> ranks_;
  Report* report_;
  Watchdog watchdog_;
  Buffer send_;
  Buffer receive_;
  std::uint64_t seed_ = 0;
  bool stopped_ = false;
};

std::vector<RankRunner::Variant> RankRunner::variants() const {
  const bool rooted = options_.collective == Collective::Broadcast;
  const int first_root = options_.root >= 0 ? options_.root : 0;
  const int last_root = options_.root >= 0 ? options_.root : communicator_.size() - 1;
  std::vector<Variant> all;
  for (const DataType type : options_.types) {
    for (const ReduceOp::Kind op : options_.ops) {
      for (int root = first_root; root <= (rooted ? last_root : first_root); ++root) {
        all.push_back({type, op, root});
      }
    }
  }
  return all;
}

void RankRunner::run() {
  if (options_.collective == Collective::Barrier) {
    for (long cycle = 0; (options_.cycles == 0 || cycle < options_.cycles) && !stopped_; ++cycle) {
      run_barrier();
    }
    return;
  }
  for (const Variant& variant : variants()) {
    if (!stopped_) run_variant(variant);
  }
}

void RankRunner::run_variant(const Variant& variant) {
  for (long cycle = 0; options_.cycles == 0 || cycle < options_.cycles; ++cycle) {
    for (std::optional<std::size_t> bytes = options_.min_bytes; bytes;
         bytes = options_.size_after(*bytes)) {
      run_size(variant, *bytes);
      if (should_stop()) return;
    }
  }
}

// All ranks stop after the same row, whichever was interrupted.
bool RankRunner::should_stop() {
  if (options_.cycles != 0) return false;
  const auto all = gather(communicator_, interrupted.load(std::memory_order_relaxed) ? 1 : 0);
  stopped_ = std::any_of(all.begin(), all.end(), [](double flag) { return flag != 0; });
  return stopped_;
}

void RankRunner::run_size(const Variant& variant, std::size_t bytes) {
  const bool rooted = options_.collective == Collective::Broadcast;
  ResultRow row;
  row.shape = shape_of(options_.collective, variant.type, bytes, communicator_.size());
  row.type = variant.type;
  row.op = reduces(options_.collective) ? to_string(variant.op) : "none";
  row.root = rooted ? variant.root : -1;
  row.out_of_place = run_place(variant, row.shape, false);
  row.in_place = run_place(variant, row.shape, true);
  if (report_ != nullptr) report_->add(std::move(row));
}

Measurement RankRunner::run_place(const Variant& variant, const Shape& shape, bool in_place) {
  watchdog_.restart(fmt::format("{} of {} {}", to_string(options_.collective),
                                format_size(shape.size()), in_place ? "in place" : "out of place"));
  const std::size_t shift = static_cast<std::size_t>(options_.unalign) * size_of(variant.type);
  const Placement placement = place(options_.collective, shape, communicator_.rank(), in_place,
                                    send_.data() + shift, receive_.data() + shift);
  const Pattern pattern{variant.type, variant.op, communicator_.size(), 0};
  const CollectiveSpec spec{.collective = options_.collective,
                            .count = shape.count,
                            .type = variant.type,
                            .op = reduce_op(pattern, communicator_.rank()),
                            .root = variant.root,
                            .schedule = options_.schedule};
  Operation operation(communicator_, spec, placement, options_.aggregate, options_.blocking);
  Verification verification(communicator_, spec, shape, placement);
  verification.prepare(++seed_);
  Measurement result = measure(communicator_, operation, options_);
  if (options_.checks > 0) result.wrong = verify(operation, verification);
  return result;
}

std::size_t RankRunner::verify(Operation& operation, Verification& verification) {
  const Numerics numerics = operation.info().numerics;
  std::size_t wrong = 0;
  for (int check = 0; check < options_.checks && wrong == 0; ++check) {
    verification.prepare(++seed_);
    operation.once();
    const auto mine = static_cast<double>(verification.count_wrong(numerics));
    const auto all = gather(communicator_, mine);
    wrong = static_cast<std::size_t>(std::accumulate(all.begin(), all.end(), 0.0));
  }
  return wrong;
}

void RankRunner::run_barrier() {
  watchdog_.restart("barrier");
  const CollectiveSpec spec{.collective = Collective::Barrier, .schedule = options_.schedule};
  Operation operation(communicator_, spec, {send_.data(), receive_.data()}, options_.aggregate,
                      options_.blocking);
  ResultRow row;
  row.op = "none";
  row.out_of_place = measure(communicator_, operation, options_);
  if (options_.checks > 0) {
    row.out_of_place.wrong = 0;
    for (int check = 0; check < options_.checks; ++check) {
      *row.out_of_place.wrong += count_early_leavers(communicator_, operation, ranks_);
    }
  }
  if (report_ != nullptr) report_->add(std::move(row));
  static_cast<void>(should_stop());
}

}  // namespace

void run_rank(const Options& options, Communicator& communicator, Report* report) {
  if (options.collective == Collective::Broadcast && options.root >= communicator.size()) {
    throw AgreedError(ErrorCode::InvalidArgument,
                      fmt::format("-r {} is no rank of {}", options.root, communicator.size()));
  }
  auto ranks = exchange_rank_info(communicator);
  require_memory(options, ranks);
  if (report != nullptr) report->begin(ranks, std::string(communicator.transport()));
  RankRunner(options, communicator, std::move(ranks), report).run();
}

void stop_on_interrupt() {
  struct sigaction action{};
  action.sa_handler = note_interrupt;
  // The second interrupt finds the default action again.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  ::sigaction(SIGINT, &action, nullptr);
}

}  // namespace roce::perf

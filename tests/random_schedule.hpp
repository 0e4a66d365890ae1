// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <random>
#include <ranges>
#include <utility>
#include <vector>

#include "src/schedule/build.hpp"

/// Random schedules that are right by construction; every one of them verifies on a mesh or switch.
/// They take other ways than the library's own: trees of any shape, chunks of any size that are
/// handled differently, operands in any order, staging slots that are reused after a flush.
namespace roce::test {

class RandomSchedule {
 public:
  RandomSchedule(std::mt19937_64& random, int ranks, Collective collective) : random_(random) {
    schedule_.collective = collective;
    schedule_.name = "random";
    schedule_.ranks = ranks;
    schedule_.root = collective == Collective::Broadcast ? below(ranks) : 0;
    schedule_.programs.resize(static_cast<std::size_t>(ranks));
    slots_.assign(static_cast<std::size_t>(ranks), 0);
    scratch_.assign(static_cast<std::size_t>(ranks), -1);
  }

  schedule::Schedule make() {
    if (schedule_.collective == Collective::Barrier) {
      threads_.emplace_back();
      barrier();
    } else {
      for (const schedule::Part& part : random_parts()) {
        threads_.emplace_back();
        move(part);
      }
    }
    merge();
    schedule_.slots = static_cast<std::uint16_t>(*std::max_element(slots_.begin(), slots_.end()));
    return std::move(schedule_);
  }

 private:
  /// One chunk's operations, in an order in which they can run one after another. Threads are
  /// merged at random, which keeps every program consistent with one order: no deadlock.
  using Thread = std::vector<std::pair<int, schedule::Operation>>;
  using Tree = std::vector<int>;  ///< by rank: its parent, -1 for the root

  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }
  bool often() { return below(3) != 0; }
  [[nodiscard]] int ranks() const { return schedule_.ranks; }
  void add(int rank, schedule::Operation operation) {
    threads_.back().emplace_back(rank, std::move(operation));
  }
  int new_slot(int rank) { return slots_[static_cast<std::size_t>(rank)]++; }

  std::vector<schedule::Part> random_parts() {
    const bool by_block = schedule_.collective == Collective::AllGather ||
                          schedule_.collective == Collective::ReduceScatter;
    const int blocks = by_block ? ranks() : 1;
    const int per_block = 1 + below(by_block ? 3 : 8);
    std::vector<schedule::Part> parts;
    for (int block = 0; block < blocks; ++block) {
      for (int first = 0; first < per_block;) {
        const int count = 1 + below(per_block - first);
        parts.push_back({block * per_block + first, count, blocks * per_block});
        first += count;
      }
    }
    return parts;
  }

  std::vector<int> random_order() {
    std::vector<int> order;
    for (int rank = 0; rank < ranks(); ++rank) order.push_back(rank);
    std::shuffle(order.begin(), order.end(), random_);
    return order;
  }

  /// A random tree and its ranks, parents before children.
  std::pair<Tree, std::vector<int>> random_tree(int root) {
    std::vector<int> order = random_order();
    std::iter_swap(order.begin(), std::find(order.begin(), order.end(), root));
    Tree parent(order.size(), -1);
    for (std::size_t i = 1; i < order.size(); ++i) {
      const auto above = static_cast<std::size_t>(below(static_cast<int>(i)));
      parent[static_cast<std::size_t>(order[i])] = order[above];
    }
    return {parent, order};
  }

  /// Puts `source`, a slot of `from`, into a new slot of `to` and waits there; returns that slot.
  int send(int from, int to, const schedule::Slice& source) {
    const int arrival = new_slot(to);
    schedule::Slice put_from = source;
    int& scratch = scratch_[static_cast<std::size_t>(from)];
    const bool by_scratch = below(4) == 0;
    if (by_scratch) {
      if (scratch < 0) scratch = new_slot(from);
      put_from.slot = static_cast<std::uint16_t>(scratch);
      add(from, schedule::copy(put_from, source));
    }
    add(from, schedule::put(to, arrival, put_from));
    // The scratch slot may be written by another thread from here on, so nothing goes between.
    if (by_scratch) {
      glue_.emplace_back(threads_.size() - 1, threads_.back().size() - 2);
      add(from, schedule::flush(to));
    }
    add(to, schedule::wait(arrival));
    return arrival;
  }

  void move(const schedule::Part& part) {
    const int owner = part.first / (part.of / ranks() == 0 ? 1 : part.of / ranks());
    switch (schedule_.collective) {
      case Collective::AllReduce:
        if (often()) {
          const int root = below(ranks());
          spread(root, part, reduce_to(root, part));
        } else {
          exchange(part);
        }
        return;
      case Collective::ReduceScatter: {
        const int result = reduce_to(owner, part);
        add(owner, schedule::copy(schedule::out(part), schedule::slot(result, part)));
        return;
      }
      case Collective::AllGather:
        spread(owner, part, stage(owner, part));
        return;
      case Collective::Broadcast:
        acknowledge(spread(schedule_.root, part, stage(schedule_.root, part)));
        return;
      case Collective::Barrier:
        return;
    }
  }

  int stage(int rank, const schedule::Part& part) {
    const int staged = new_slot(rank);
    add(rank, schedule::copy(schedule::slot(staged, part), schedule::in(part)));
    return staged;
  }

  /// Up a random tree, each rank folding its input and its children's sums in any order; returns
  /// the root's slot with the result.
  int reduce_to(int root, const schedule::Part& part) {
    const auto [parent, order] = random_tree(root);
    std::vector<std::vector<schedule::Slice>> operands(order.size());
    int result = 0;
    for (const int rank : std::views::reverse(order)) {
      auto& sources = operands[static_cast<std::size_t>(rank)];
      if (sources.empty()) {
        result = stage(rank, part);
      } else {
        sources.push_back(schedule::in(part));
        std::shuffle(sources.begin(), sources.end(), random_);
        result = new_slot(rank);
        add(rank, schedule::reduce(schedule::slot(result, part), sources));
      }
      const int above = parent[static_cast<std::size_t>(rank)];
      if (above < 0) break;
      const int arrival = send(rank, above, schedule::slot(result, part));
      operands[static_cast<std::size_t>(above)].push_back(schedule::slot(arrival, part));
    }
    return result;
  }

  /// Down a random tree to everyone's Out.
  Tree spread(int root, const schedule::Part& part, int held_by_root) {
    const auto [parent, order] = random_tree(root);
    std::vector<int> held(order.size(), held_by_root);
    for (const int rank : order) {
      const int above = parent[static_cast<std::size_t>(rank)];
      int& mine = held[static_cast<std::size_t>(rank)];
      if (above >= 0) {
        mine = send(above, rank, schedule::slot(held[static_cast<std::size_t>(above)], part));
      }
      add(rank, schedule::copy(schedule::out(part), schedule::slot(mine, part)));
    }
    return parent;
  }

  /// Everyone's input to everyone by a random tree each; all fold in one random order.
  void exchange(const schedule::Part& part) {
    const auto count = static_cast<std::size_t>(ranks());
    const std::vector<int> fold_order = random_order();
    std::vector<std::vector<schedule::Slice>> operands(count);
    for (const int origin : fold_order) {
      const auto [parent, order] = random_tree(origin);
      std::vector<int> held(count, 0);
      for (const int rank : order) {
        const int above = parent[static_cast<std::size_t>(rank)];
        int& mine = held[static_cast<std::size_t>(rank)];
        mine = above < 0
                   ? stage(rank, part)
                   : send(above, rank, schedule::slot(held[static_cast<std::size_t>(above)], part));
        operands[static_cast<std::size_t>(rank)].push_back(schedule::slot(mine, part));
      }
    }
    for (const int rank : random_order()) {
      const auto& sources = operands[static_cast<std::size_t>(rank)];
      add(rank, schedule::reduce(schedule::out(part), sources));
    }
  }

  /// Every child tells its parent that it is done with the slot.
  void acknowledge(const Tree& parent) {
    for (const int rank : random_order()) {
      const int above = parent[static_cast<std::size_t>(rank)];
      if (above < 0) continue;
      const int acknowledgement = new_slot(above);
      add(rank, schedule::signal(above, acknowledgement));
      add(above, schedule::wait(acknowledgement));
    }
  }

  void barrier() {
    const int root = below(ranks());
    const auto notify = [this](int from, int to) {
      const int arrival = new_slot(to);
      add(from, schedule::signal(to, arrival));
      add(to, schedule::wait(arrival));
    };
    const auto [up, from_root] = random_tree(root);
    for (const int rank : std::views::reverse(from_root)) {
      const int above = up[static_cast<std::size_t>(rank)];
      if (above >= 0) notify(rank, above);
    }
    const auto [down, order] = random_tree(root);
    for (const int rank : order) {
      const int above = down[static_cast<std::size_t>(rank)];
      if (above >= 0) notify(above, rank);
    }
  }

  void merge() {
    std::vector<std::size_t> next(threads_.size(), 0);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (!threads_[i].empty()) open.push_back(i);
    }
    while (!open.empty()) {
      const std::size_t choice = random_() % open.size();
      const std::size_t thread = open[choice];
      take(thread, next);
      const std::pair<std::size_t, std::size_t> here{thread, next[thread] - 1};
      if (std::find(glue_.begin(), glue_.end(), here) != glue_.end()) {
        take(thread, next);
        take(thread, next);
      }
      if (next[thread] == threads_[thread].size()) {
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(choice));
      }
    }
  }

  void take(std::size_t thread, std::vector<std::size_t>& next) {
    auto& [rank, operation] = threads_[thread][next[thread]++];
    schedule_.programs[static_cast<std::size_t>(rank)].push_back(std::move(operation));
  }

  std::mt19937_64& random_;
  schedule::Schedule schedule_;
  std::vector<int> slots_;    ///< by rank: how many are taken
  std::vector<int> scratch_;  ///< by rank: the staging slot that is reused, -1 for none yet
  std::vector<Thread> threads_;
  /// Thread and index of each copy that the two operations after it must follow at once.
  std::vector<std::pair<std::size_t, std::size_t>> glue_;
};

/// A random schedule for 1 to 16 ranks. Pure in the generator's state.
inline schedule::Schedule random_schedule(std::mt19937_64& random, int ranks,
                                          Collective collective) {
  return RandomSchedule(random, ranks, collective).make();
}

}  // namespace roce::test

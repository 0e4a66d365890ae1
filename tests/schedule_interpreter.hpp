// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "src/schedule/ir.hpp"

/// Runs a schedule in random interleavings and looks at what the caller gets. It shares no code and
/// no idea with the verifier: it has memory, ranks that run at their own pace, and a network that
/// reads sources late, piece by piece, and delivers in any order.
namespace roce::test {

/// How to run.
struct InterpreterOptions {
  int depth = 1;
  bool in_place = false;
  int epochs = 4;
  bool rank_ordered = false;  ///< all-reduce and reduce-scatter must give the left fold
  bool exact_trees = false;   ///< a + b and b + a are different
};

class Interpreter {
 public:
  using Options = InterpreterOptions;

  Interpreter(const schedule::Schedule& schedule, const Options& options, std::uint64_t seed)
      : schedule_(schedule), options_(options), random_(seed), cells_(grid(schedule)) {
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      Rank state;
      state.user.resize(2, Memory(cells_));
      const auto copies =
          static_cast<std::size_t>(schedule.slots) * static_cast<std::size_t>(options.depth);
      state.slots.resize(copies, Memory(cells_));
      state.flags.assign(copies, 0);
      state.pace = 1 + static_cast<int>(random_() % 8);
      ranks_.push_back(std::move(state));
    }
  }

  /// Empty when every rank got the right result in every epoch.
  std::string run() {
    for (;;) {
      std::vector<int> choices = movable();
      if (choices.empty()) break;
      step(choices[random_() % choices.size()]);
      if (!problem_.empty()) return problem_;
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].epoch < options_.epochs) return "rank " + std::to_string(rank) + " hangs";
    }
    return {};
  }

  /// The number of cells that every slice of the schedule fits, 0 when that is more than 5,000.
  static std::size_t grid(const schedule::Schedule& schedule) {
    auto cells = static_cast<std::size_t>(schedule.ranks);
    const auto include = [&cells](const schedule::Slice& slice) {
      if (cells != 0 && slice.of != 0) cells = std::lcm(cells, std::size_t{slice.of});
      if (cells > 5000) cells = 0;
    };
    for (const auto& program : schedule.programs) {
      for (const auto& operation : program) {
        include(operation.dst);
        for (const auto& source : operation.sources) include(source);
      }
    }
    return cells;
  }

 private:
  /// `bits` stands for the value with its roundings, `sum` for what was summed.
  struct Value {
    std::uint64_t bits = 0;
    std::uint64_t sum = 0;
  };
  using Memory = std::vector<Value>;

  struct Rank {
    std::vector<Memory> user;  ///< In, Out
    std::vector<Memory> slots;
    std::vector<std::int64_t> flags;
    int epoch = 0;
    int next = -1;  ///< -1: the caller fills its buffers
    int pace = 1;
    std::vector<std::vector<Value>> results;
  };

  struct Flight {
    int sender = 0;
    int epoch = 0;
    schedule::Operation operation;
    std::vector<Value> payload;
    std::size_t read = 0;     ///< cells of the source that were read
    std::size_t written = 0;  ///< cells that were written
    bool landed = false;
    int pace = 1;
  };

  static std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }

  static Value input(int rank, int epoch, std::size_t cell) {
    const std::uint64_t bits = mix(mix(mix(rank + 1U) + epoch) + cell);
    return {bits, bits};
  }

  Value garbage() { return {random_(), random_()}; }

  [[nodiscard]] Value fold(const std::vector<Value>& values) const {
    if (values.size() == 1) return values[0];
    const bool swap = !options_.exact_trees && values[1].bits < values[0].bits;
    std::uint64_t bits = mix(values[swap ? 1 : 0].bits) * 3 + mix(values[swap ? 0 : 1].bits);
    std::uint64_t sum = values[0].sum + values[1].sum;
    for (std::size_t i = 2; i < values.size(); ++i) {
      bits = mix(bits) * 3 + mix(values[i].bits);
      sum += values[i].sum;
    }
    return {mix(bits ^ 0x5bd1e995U), sum};
  }

  [[nodiscard]] std::size_t begin(const schedule::Slice& slice) const {
    return cells_ / slice.of * slice.first;
  }
  [[nodiscard]] std::size_t size(const schedule::Slice& slice) const {
    return cells_ / slice.of * slice.count;
  }

  Memory& memory(int rank, const schedule::Slice& slice, int epoch) {
    Rank& state = ranks_[static_cast<std::size_t>(rank)];
    if (slice.buffer == schedule::Buffer::Slot) return state.slots[slot(slice, epoch)];
    return state.user[slice.buffer == schedule::Buffer::Out && !options_.in_place ? 1 : 0];
  }
  [[nodiscard]] std::size_t slot(const schedule::Slice& slice, int epoch) const {
    const int depth = options_.depth;
    return std::size_t{slice.slot} * static_cast<std::size_t>(depth) +
           static_cast<std::size_t>(epoch % depth);
  }

  /// What can move now, as often as it is fast: ranks from 0, flights from the number of ranks.
  std::vector<int> movable() {
    std::vector<int> choices;
    for (int rank = 0; rank < schedule_.ranks; ++rank) {
      if (!blocked(rank)) choices.insert(choices.end(), pace_of(rank), rank);
    }
    for (std::size_t i = 0; i < flights_.size(); ++i) {
      choices.insert(choices.end(), flights_[i].pace, schedule_.ranks + static_cast<int>(i));
    }
    return choices;
  }
  [[nodiscard]] int pace_of(int rank) const { return ranks_[static_cast<std::size_t>(rank)].pace; }

  [[nodiscard]] const schedule::Program& program(int rank) const {
    return schedule_.programs[static_cast<std::size_t>(rank)];
  }

  bool blocked(int rank) {
    const Rank& state = ranks_[static_cast<std::size_t>(rank)];
    if (state.epoch >= options_.epochs) return true;
    if (state.next < 0 || state.next >= static_cast<int>(program(rank).size())) return false;
    const schedule::Operation& operation = program(rank)[static_cast<std::size_t>(state.next)];
    if (operation.kind == schedule::OpKind::Wait) {
      return state.flags[slot(operation.dst, state.epoch)] != state.epoch + 1;
    }
    if (operation.kind != schedule::OpKind::Flush) return false;
    return std::any_of(flights_.begin(), flights_.end(), [&](const Flight& flight) {
      return flight.sender == rank && flight.operation.peer == operation.peer &&
             flight.read < flight.payload.size();
    });
  }

  void step(int choice) {
    if (choice >= schedule_.ranks) {
      fly(static_cast<std::size_t>(choice - schedule_.ranks));
      return;
    }
    Rank& state = ranks_[static_cast<std::size_t>(choice)];
    if (state.next < 0) {
      fill(choice);
    } else if (state.next < static_cast<int>(program(choice).size())) {
      execute(choice, program(choice)[static_cast<std::size_t>(state.next)]);
    } else {
      finish(choice);
      ++state.epoch;
      state.next = -2;
    }
    ++state.next;
  }

  void fill(int rank) {
    Rank& state = ranks_[static_cast<std::size_t>(rank)];
    const std::size_t block = cells_ / static_cast<std::size_t>(schedule_.ranks);
    for (Memory& buffer : state.user) {
      for (Value& value : buffer) value = garbage();
    }
    for (std::size_t cell = 0; cell < cells_; ++cell) {
      const bool mine = schedule_.collective != Collective::AllGather ||
                        cell / block == static_cast<std::size_t>(rank);
      if (mine) state.user[0][cell] = input(rank, state.epoch, cell);
    }
  }

  void execute(int rank, const schedule::Operation& operation) {
    const int epoch = ranks_[static_cast<std::size_t>(rank)].epoch;
    switch (operation.kind) {
      case schedule::OpKind::Copy:
      case schedule::OpKind::Reduce:
        for (std::size_t i = 0; i < size(operation.dst); ++i) {
          std::vector<Value> values;
          for (const auto& source : operation.sources) {
            values.push_back(memory(rank, source, epoch)[begin(source) + i]);
          }
          memory(rank, operation.dst, epoch)[begin(operation.dst) + i] = fold(values);
        }
        return;
      case schedule::OpKind::Put:
      case schedule::OpKind::Signal: {
        Flight flight;
        flight.sender = rank;
        flight.epoch = epoch;
        flight.operation = operation;
        if (!operation.sources.empty()) flight.payload.resize(size(operation.sources[0]));
        flight.pace = random_() % 3 == 0 ? 1 : 1 + static_cast<int>(random_() % 32);
        flights_.push_back(std::move(flight));
        return;
      }
      case schedule::OpKind::Wait:
      case schedule::OpKind::Flush:
        return;
    }
  }

  /// Reads or writes another piece; the flag goes with the last one.
  void fly(std::size_t index) {
    Flight& flight = flights_[index];
    const std::size_t total = flight.payload.size();
    const auto piece = [&](std::size_t done) {
      return random_() % 2 == 0 ? total : std::min(total, done + 1 + random_() % total);
    };
    if (flight.read < total) {
      const auto& source = flight.operation.sources[0];
      const std::size_t end = piece(flight.read);
      for (; flight.read < end; ++flight.read) {
        flight.payload[flight.read] =
            memory(flight.sender, source, flight.epoch)[begin(source) + flight.read];
      }
      return;
    }
    const auto& dst = flight.operation.dst;
    if (flight.written < total) {
      const std::size_t end = piece(flight.written);
      for (; flight.written < end; ++flight.written) {
        memory(flight.operation.peer, dst, flight.epoch)[begin(dst) + flight.written] =
            flight.payload[flight.written];
      }
      if (flight.written < total) return;
    }
    ranks_[static_cast<std::size_t>(flight.operation.peer)].flags[slot(dst, flight.epoch)] =
        flight.epoch + 1;
    flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  void complain(int rank, int epoch, std::size_t cell, const char* what) {
    problem_ = "rank " + std::to_string(rank) + ", epoch " + std::to_string(epoch) + ", cell " +
               std::to_string(cell) + " of " + std::to_string(cells_) + ": " + what;
  }

  void finish(int rank) {
    Rank& state = ranks_[static_cast<std::size_t>(rank)];
    if (schedule_.collective == Collective::Barrier) {
      for (const Rank& other : ranks_) {
        const bool came =
            other.epoch > state.epoch || (other.epoch == state.epoch && other.next >= 0);
        if (!came) complain(rank, state.epoch, 0, "left the barrier too early");
      }
      return;
    }
    const Memory& result = state.user[options_.in_place ? 0 : 1];
    for (std::size_t cell = 0; cell < cells_; ++cell) {
      compare(rank, state.epoch, cell, result[cell]);
    }
    state.results.push_back(result);
    if (schedule_.collective != Collective::AllReduce) return;
    for (const Rank& other : ranks_) {
      const auto epoch = static_cast<std::size_t>(state.epoch);
      if (other.results.size() <= epoch) continue;
      for (std::size_t cell = 0; cell < cells_; ++cell) {
        if (other.results[epoch][cell].bits != result[cell].bits) {
          complain(rank, state.epoch, cell, "two ranks have different bits");
        }
      }
    }
  }

  void compare(int rank, int epoch, std::size_t cell, const Value& value) {
    const std::size_t block = cells_ / static_cast<std::size_t>(schedule_.ranks);
    const auto owner = static_cast<int>(cell / block);
    if (schedule_.collective == Collective::Broadcast ||
        schedule_.collective == Collective::AllGather) {
      const int origin = schedule_.collective == Collective::Broadcast ? schedule_.root : owner;
      if (value.bits != input(origin, epoch, cell).bits) complain(rank, epoch, cell, "wrong data");
      return;
    }
    if (schedule_.collective == Collective::ReduceScatter && owner != rank) return;
    std::vector<Value> inputs;
    for (int origin = 0; origin < schedule_.ranks; ++origin) {
      inputs.push_back(input(origin, epoch, cell));
    }
    const Value expected = fold(inputs);
    if (value.sum != expected.sum) complain(rank, epoch, cell, "wrong sum");
    if (options_.rank_ordered && value.bits != expected.bits) {
      complain(rank, epoch, cell, "not the left fold in rank order");
    }
  }

  const schedule::Schedule& schedule_;
  Options options_;
  std::mt19937_64 random_;
  std::size_t cells_;
  std::vector<Rank> ranks_;
  std::vector<Flight> flights_;
  std::string problem_;
};

}  // namespace roce::test

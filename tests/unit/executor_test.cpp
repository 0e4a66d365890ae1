// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/executor.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

using namespace roce::runtime;
using roce::transport::Flag;

namespace {

/// What a transport is told, and what it shall say.
struct Script {
  bool room = true;
  bool flushed = false;
  Flag flag = 0;
  int puts = 0;
  std::array<std::byte, 64> memory{};
};

/// A transport to one peer that does what a test says.
class ScriptedTransport {
 public:
  static constexpr bool reads_source_at_once = false;
  static constexpr bool shares_slots = false;
  explicit ScriptedTransport(Script& script) : script_(script) {}
  bool put(int, std::size_t, const std::byte*, std::size_t, Flag) noexcept {
    script_.puts += script_.room ? 1 : 0;
    return script_.room;
  }
  bool arrived(int, std::size_t, Flag epoch) const noexcept { return script_.flag == epoch; }
  bool flushed(int) const noexcept { return script_.flushed; }
  static void poll() noexcept {}
  static std::optional<roce::Failure> failure() noexcept { return std::nullopt; }
  static roce::transport::Path describe(int) { return {"here", "there", {}}; }
  static void clear(std::size_t, std::size_t) noexcept {}
  std::byte* memory() const noexcept { return script_.memory.data(); }
  static std::string_view name() noexcept { return "scripted"; }

 private:
  Script& script_;
};

FlatOp op(OpCode code) {
  FlatOp flat;
  flat.code = code;
  flat.peer = 1;
  return flat;
}

constexpr Flag first_epoch = 8;

struct Fixture {
  explicit Fixture(const std::vector<OpCode>& codes, std::size_t segments = 1)
      : lane("scripted/test", LaneLayout{{56}, 64, 64}, 0, 2, 1, first_epoch) {
    for (const OpCode code : codes) program.ops.push_back(op(code));
    request.full = &program;
    request.last = &program;
    request.segments = segments;
    request.in = buffer.data();
    request.out = buffer.data();
  }
  Script script;
  std::array<std::byte, 8> buffer{};
  FlatProgram program;
  Request request;
  Lane lane;
};

}  // namespace

TEST_CASE("a wait is blocked until the flag has the epoch, not any other") {
  Fixture f({OpCode::Wait});
  Executor<ScriptedTransport> executor(f.script);
  CHECK(executor.idle());
  CHECK(executor.unblocked());
  executor.start(f.lane, f.request, 1);
  for (const Flag flag : {Flag{0}, first_epoch - 1, first_epoch + 1}) {
    f.script.flag = flag;
    CHECK_FALSE(executor.progress(3));
    CHECK_FALSE(executor.unblocked());
  }
  CHECK(executor.blocked().op->code == OpCode::Wait);
  CHECK(executor.blocked().epoch == first_epoch);
  f.script.flag = first_epoch;
  CHECK(executor.unblocked());
  CHECK(executor.progress(1));
  CHECK(f.request.done());
  CHECK(executor.idle());
}

TEST_CASE("a flush is no longer blocked once it is flushed") {
  Fixture f({OpCode::Put, OpCode::Flush});
  Executor<ScriptedTransport> executor(f.script);
  executor.start(f.lane, f.request, 1);
  CHECK(f.script.puts == 1);
  CHECK_FALSE(executor.unblocked());
  f.script.flushed = true;
  CHECK(executor.unblocked());
  CHECK(executor.progress(1));
  CHECK(f.request.done());
}

TEST_CASE("a put without room is tried again, and made once") {
  Fixture f({OpCode::Put});
  f.script.room = false;
  Executor<ScriptedTransport> executor(f.script);
  executor.start(f.lane, f.request, 1);
  CHECK_FALSE(executor.progress(1));
  CHECK_FALSE(f.request.done());
  f.script.room = true;
  CHECK(executor.progress(1));
  CHECK(f.script.puts == 1);
  CHECK(f.request.done());
}

TEST_CASE("segments run on as many streams as there are, and blocked() names the oldest") {
  Fixture f({OpCode::Put, OpCode::Wait}, 5);
  Executor<ScriptedTransport> executor(f.script);
  executor.start(f.lane, f.request, 1);
  CHECK(f.script.puts == 2);
  f.script.flag = first_epoch + 1;
  CHECK(executor.progress(1));
  CHECK(f.script.puts == 3);
  CHECK(executor.blocked().epoch == first_epoch);
  f.script.flag = first_epoch;
  CHECK(executor.progress(1));
  CHECK(f.script.puts == 4);
  CHECK(f.request.finished == 2);
}

TEST_CASE("the oldest is found across the end of the epochs' range") {
  Fixture f({OpCode::Wait}, 2);
  f.lane = Lane("scripted/test", LaneLayout{{56}, 64, 64}, 0, 2, 1, Flag{0} - 2);
  Executor<ScriptedTransport> executor(f.script);
  executor.start(f.lane, f.request, 1);
  f.script.flag = Flag{0} - 2;
  CHECK(executor.progress(1));
  Request second = f.request;
  executor.start(f.lane, second, 1);
  f.script.flag = 77;
  CHECK_FALSE(executor.progress(1));
  CHECK(executor.blocked().epoch == Flag{0} - 1);
}

TEST_CASE("a request that ends before an older one leaves the queue in order") {
  Fixture f({OpCode::Wait}, 1);
  Executor<ScriptedTransport> executor(f.script);
  Request second = f.request;
  Request third = f.request;
  executor.start(f.lane, f.request, 1);
  executor.start(f.lane, second, 1);
  executor.start(f.lane, third, 1);
  f.script.flag = first_epoch + 1;
  CHECK(executor.progress(1));
  CHECK(second.done());
  CHECK_FALSE(f.request.done());
  f.script.flag = first_epoch;
  CHECK(executor.progress(1));
  CHECK(f.request.done());
  f.script.flag = first_epoch + 2;
  CHECK(executor.progress(1));
  CHECK(third.done());
  CHECK(executor.idle());
}

TEST_CASE("drop forgets everything") {
  Fixture f({OpCode::Wait}, 3);
  Executor<ScriptedTransport> executor(f.script);
  executor.start(f.lane, f.request, 1);
  executor.drop();
  CHECK(executor.idle());
  CHECK(f.lane.idle());
  CHECK(executor.blocked().op == nullptr);
  CHECK_FALSE(executor.progress(1));
}

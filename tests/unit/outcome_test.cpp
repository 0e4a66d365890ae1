// SPDX-License-Identifier: Apache-2.0
#include "src/transport/outcome.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/catch.hpp"

using namespace roce;
using namespace roce::transport;

namespace {

std::string joined(const std::vector<std::string>& reasons) { return reasons_by_rank(reasons); }

}  // namespace

TEST_CASE("a reason is said once for all ranks that have it") {
  CHECK(joined({}).empty());
  CHECK(joined({"", ""}).empty());
  CHECK(joined({"", "no device"}) == "rank 1: no device");
  CHECK(joined({"no device", "no device"}) == "ranks 0 and 1: no device");
  CHECK(joined({"a", "b", "a", "", "a"}) == "ranks 0, 2 and 4: a; rank 1: b");
}

TEST_CASE("of many different reasons a few are told, and how many ranks have others") {
  CHECK(joined({"a", "b", "c", "d", "e", "f", "e"}) ==
        "rank 0: a; rank 1: b; rank 2: c; rank 3: d; and 3 more ranks");
}

TEST_CASE("the first failed rank's code stands for all") {
  CHECK_NOTHROW(require_no_errors(std::vector<Outcome>(3)));
  const std::vector<Outcome> outcomes{
      {}, {ErrorCode::Resource, "no memory"}, {ErrorCode::Timeout, "too late"}};
  try {
    require_no_errors(outcomes);
    FAIL("it did not throw");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::Resource);
    CHECK_THAT(error.what(), Catch::Matchers::Contains("rank 1: no memory; rank 2: too late"));
  }
}

TEST_CASE("what a step throws becomes its outcome") {
  Outcome outcome;
  attempt(outcome, [] {});
  CHECK(outcome.error.empty());
  attempt(outcome, [] { throw Error(ErrorCode::Unsupported, "not here"); });
  CHECK(outcome.code == ErrorCode::Unsupported);
  CHECK_THAT(outcome.error, Catch::Matchers::Contains("not here"));
  attempt(outcome, [] { throw std::runtime_error("broken"); });
  CHECK(outcome.code == ErrorCode::Resource);
  CHECK(outcome.error == "broken");
}

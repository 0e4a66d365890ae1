// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sharing.hpp"

#include <utility>
#include <vector>

#include "src/schedule/build.hpp"
#include "src/schedule/catalog.hpp"
#include "tests/catch.hpp"

using namespace roce;
using namespace roce::schedule;
using runtime::SlotSharing;

namespace {

/// Whether rank 0 of three may share its slot 0 when it runs `sender` and the others `receiver`.
bool shares(Program sender, const Program& receiver = {wait(0), copy(out(), slot(0))}) {
  Schedule schedule;
  schedule.ranks = 3;
  schedule.slots = 4;
  schedule.programs = {std::move(sender), receiver, receiver};
  return SlotSharing(schedule).shared(0, 0);
}

const Operation stage = copy(slot(0), in());
const Operation to_1 = put(1, 0, slot(0));
const Operation to_2 = put(2, 0, slot(0));

}  // namespace

TEST_CASE("what goes to several peers is shared, whether it is staged there or elsewhere") {
  CHECK(shares({stage, to_1, to_2}));
  CHECK(shares({copy(slot(1), in()), put(1, 0, slot(1)), put(2, 0, slot(1))}));
  CHECK(shares({stage, to_1, put(1, 2, slot(3)), to_2}));
  CHECK(shares({wait(3), stage, to_1, to_2, wait(2), roce::schedule::reduce(out(), {slot(0)})}));
}

TEST_CASE("nothing is shared with one peer, or when the peers get different things") {
  CHECK_FALSE(shares({stage, to_1}));
  CHECK_FALSE(shares({stage, to_1, put(2, 0, slot(1))}));
  CHECK_FALSE(shares({stage, put(1, 0, slot(0, {0, 1, 2})), put(2, 0, slot(0, {1, 1, 2}))}));
}

TEST_CASE("nothing is shared when a peer may still read what is written for another") {
  CHECK_FALSE(shares({stage, to_1, wait(3), to_2}));
  CHECK_FALSE(shares({stage, to_1, flush(1), to_2}));
  CHECK_FALSE(shares({stage, wait(3), to_1, to_2}));
}

TEST_CASE("nothing is shared when the sender has another use for its own slot") {
  CHECK_FALSE(shares({copy(slot(1), in()), put(1, 0, slot(1)), put(2, 0, slot(1)), wait(0)}));
  CHECK_FALSE(shares({stage, to_1, to_2, copy(slot(0), slot(1))}));
  CHECK_FALSE(shares({copy(slot(0), in()), put(1, 0, slot(1)), put(2, 0, slot(1))}));
  CHECK_FALSE(shares({put(1, 0, slot(1)), put(2, 0, slot(1)), copy(out(), slot(0))}));
  CHECK_FALSE(shares({copy(slot(0, {0, 1, 2}), in({0, 1, 2})), to_1, to_2}));
}

TEST_CASE("nothing is shared when a receiver writes into it, or gets a signal there") {
  CHECK_FALSE(
      shares({stage, to_1, to_2}, {wait(0), roce::schedule::reduce(slot(0), {slot(0), in()})}));
  CHECK_FALSE(shares({signal(1, 0), stage, to_1, to_2}));
}

TEST_CASE("the catalog's one-shot and two-shot share what they send to all") {
  const auto fabric = topology::Fabric::make(topology::FabricClass::Switch, 4);
  const SlotSharing one_shot(offer(find(Collective::AllReduce, "one_shot"), fabric, 0)->schedule());
  const SlotSharing two_shot(offer(find(Collective::AllReduce, "two_shot"), fabric, 0)->schedule());
  for (int sender = 0; sender < 4; ++sender) {
    for (int slot = 0; slot < 4; ++slot) {
      CHECK(one_shot.shared(sender, static_cast<std::uint16_t>(slot)) == (slot == sender));
      CHECK_FALSE(two_shot.shared(sender, static_cast<std::uint16_t>(slot)));
      CHECK(two_shot.shared(sender, static_cast<std::uint16_t>(4 + slot)) == (slot == sender));
    }
  }
  CHECK_FALSE(SlotSharing().shared(0, 0));
}

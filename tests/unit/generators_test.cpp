// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "roce/status.hpp"
#include "src/schedule/catalog.hpp"
#include "src/schedule/patterns.hpp"
#include "src/schedule/print.hpp"
#include "tests/catch.hpp"
#include "tests/schedule_interpreter.hpp"

using namespace roce::schedule;
using roce::Collective;
using roce::Numerics;
using roce::test::contains;
using roce::topology::Fabric;
using roce::topology::FabricClass;

namespace {

constexpr FabricClass classes[] = {FabricClass::Line, FabricClass::Ring, FabricClass::Mesh,
                                   FabricClass::Switch};

std::string name_of(const CatalogEntry& entry, const Fabric& fabric, int root) {
  return std::string(to_string(entry.collective)) + "/" + std::string(entry.name) + " on a " +
         std::string(to_string(fabric.fabric_class())) + " of " + std::to_string(fabric.ranks()) +
         " from " + std::to_string(root);
}

/// Calls `visit` with everything that is offered up to a number of ranks.
template <typename Visit>
void for_each_offer(int max_ranks, const Visit& visit) {
  for (const CatalogEntry& entry : catalog()) {
    for (int ranks = 1; ranks <= max_ranks; ++ranks) {
      for (const FabricClass fabric_class : classes) {
        const Fabric fabric = Fabric::make(fabric_class, ranks);
        const int roots = entry.collective == Collective::Broadcast ? ranks : 1;
        for (int root = 0; root < roots; ++root) {
          INFO(name_of(entry, fabric, root));
          const auto offered = offer(entry, fabric, root);
          if (offered) visit(entry, fabric, *offered);
        }
      }
    }
  }
}

const ScheduleFacts facts_of(Collective collective, const char* name, FabricClass fabric_class,
                             int ranks) {
  return offer(find(collective, name), Fabric::make(fabric_class, ranks), 0).value().facts();
}

}  // namespace

TEST_CASE("everything offered up to 16 ranks verifies, and says what it is") {
  int count = 0;
  for_each_offer(
      16, [&](const CatalogEntry& entry, const Fabric& fabric, const VerifiedSchedule& offered) {
        ++count;
        CHECK(offered.schedule().name == entry.name);
        CHECK(offered.schedule().collective == entry.collective);
        CHECK(offered.schedule().ranks == fabric.ranks());
        CHECK(offered.facts().depth <= 2);
      });
  CHECK(count > 1000);
}

TEST_CASE("every fabric has a rank-ordered schedule for every collective and root") {
  std::set<std::string> covered;
  const auto key = [](Collective collective, const Fabric& fabric, int root) {
    return std::string(to_string(collective)) + std::string(to_string(fabric.fabric_class())) +
           std::to_string(fabric.ranks()) + "." + std::to_string(root);
  };
  for_each_offer(
      16, [&](const CatalogEntry& entry, const Fabric& fabric, const VerifiedSchedule& offered) {
        if (offered.facts().numerics == Numerics::RankOrdered) {
          covered.insert(key(entry.collective, fabric, offered.schedule().root));
        }
      });
  for (int collective = 0; collective < roce::collective_count; ++collective) {
    for (int ranks = 1; ranks <= 16; ++ranks) {
      for (const FabricClass fabric_class : classes) {
        const auto wanted = static_cast<Collective>(collective);
        for (int root = 0; root < (wanted == Collective::Broadcast ? ranks : 1); ++root) {
          const std::string name = key(wanted, Fabric::make(fabric_class, ranks), root);
          CAPTURE(name);
          CHECK(covered.count(name) == 1);
        }
      }
    }
  }
}

TEST_CASE("only slots are put, and a slot that is put into holds just that") {
  for_each_offer(9, [](const CatalogEntry&, const Fabric&, const VerifiedSchedule& offered) {
    for (const Program& program : offered.schedule().programs) {
      for (const Operation& operation : program) {
        if (operation.kind != OpKind::Put) continue;
        CHECK(operation.sources[0].buffer == Buffer::Slot);
        const SlotExtent extent = offered.extent(operation.peer, operation.dst.slot);
        CHECK(extent.first * operation.dst.of == operation.dst.first * extent.of);
        CHECK(extent.count * operation.dst.of == operation.dst.count * extent.of);
      }
    }
  });
}

TEST_CASE("results are right in random interleavings, with the same trees on every rank") {
  std::uint64_t seed = 1;
  for_each_offer(6, [&](const CatalogEntry&, const Fabric&, const VerifiedSchedule& offered) {
    roce::test::InterpreterOptions options;
    options.depth = offered.facts().depth;
    options.epochs = 2 * options.depth + 1;
    options.rank_ordered = offered.facts().numerics == Numerics::RankOrdered;
    options.exact_trees = true;
    for (const bool in_place : {false, true}) {
      options.in_place = in_place;
      const std::string problem =
          roce::test::Interpreter(offered.schedule(), options, seed++).run();
      CHECK(problem.empty());
    }
  });
}

TEST_CASE("hops are what the algorithms promise") {
  const auto hops = [](Collective collective, const char* name, FabricClass fabric_class,
                       int ranks) { return facts_of(collective, name, fabric_class, ranks).hops; };
  for (int n = 2; n <= 16; ++n) {
    const int rounds = static_cast<int>(std::ceil(std::log2(n)));
    CHECK(hops(Collective::AllReduce, "one_shot", FabricClass::Mesh, n) == 1);
    CHECK(hops(Collective::AllReduce, "two_shot", FabricClass::Mesh, n) == 2);
    CHECK(hops(Collective::AllReduce, "bidirectional_ring", FabricClass::Ring, n) == 2 * (n - 1));
    CHECK(hops(Collective::AllReduce, "bidirectional_relay", FabricClass::Ring, n) ==
          std::max(1, n / 2));
    CHECK(hops(Collective::AllReduce, "bidirectional_relay", FabricClass::Line, n) == n - 1);
    CHECK(hops(Collective::Barrier, "dissemination", FabricClass::Mesh, n) == rounds);
    CHECK(hops(Collective::Broadcast, "binomial", FabricClass::Mesh, n) == floor_log2(n) + 1);
    const bool exact = (n & (n - 1)) == 0;
    CHECK(hops(Collective::AllReduce, "recursive_doubling", FabricClass::Mesh, n) <=
          (exact ? rounds : rounds + 1));
    CHECK(hops(Collective::AllGather, exact ? "recursive_doubling" : "bruck", FabricClass::Mesh,
               n) == rounds);
  }
}

TEST_CASE("what a rank sends is what the algorithms promise") {
  const auto sent = [](Collective collective, const char* name, int ranks) {
    return facts_of(collective, name, FabricClass::Ring, ranks).sent;
  };
  for (int n = 3; n <= 16; ++n) {
    const double most = static_cast<double>(n - 1) / n;
    CHECK(sent(Collective::AllReduce, "bidirectional_ring", n) == roce::test::approx(2 * most));
    CHECK(sent(Collective::AllReduce, "bidirectional_relay", n) == roce::test::approx(n - 1));
    CHECK(sent(Collective::AllGather, "bidirectional_ring", n) == roce::test::approx(most));
    CHECK(sent(Collective::AllGather, "bidirectional_relay", n) == roce::test::approx(most));
    CHECK(sent(Collective::ReduceScatter, "bidirectional_ring", n) == roce::test::approx(most));
  }
}

TEST_CASE("both directions of every ring cable carry the same") {
  for (const char* name : {"bidirectional_ring", "bidirectional_relay"}) {
    for (const int n : {3, 4, 5, 8}) {
      const auto offered =
          offer(find(Collective::AllReduce, name), Fabric::make(FabricClass::Ring, n), 0);
      std::map<std::pair<int, int>, double> carried;
      for (int rank = 0; rank < n; ++rank) {
        for (const Operation& op : offered->schedule().programs[static_cast<std::size_t>(rank)]) {
          if (op.kind == OpKind::Put) {
            carried[{rank, op.peer}] += static_cast<double>(op.dst.count) / op.dst.of;
          }
        }
      }
      CHECK(carried.size() == static_cast<std::size_t>(2 * n));
      for (const auto& [link, amount] : carried) {
        CHECK(amount == roce::test::approx(carried.begin()->second));
      }
    }
  }
}

TEST_CASE("peers are served in turn so that not all meet at one") {
  CHECK(peers_to(1, 4) == std::vector<int>{2, 3, 0});
  CHECK(peers_from(1, 4) == std::vector<int>{0, 3, 2});
}

TEST_CASE("what does not exist is not offered") {
  const auto offered = [](Collective collective, const char* name, FabricClass fabric_class,
                          int ranks) {
    return offer(find(collective, name), Fabric::make(fabric_class, ranks), 0).has_value();
  };
  CHECK_FALSE(offered(Collective::AllReduce, "bidirectional_ring", FabricClass::Line, 3));
  CHECK(offered(Collective::AllReduce, "bidirectional_ring", FabricClass::Line, 2));
  CHECK_FALSE(offered(Collective::AllGather, "recursive_doubling", FabricClass::Mesh, 6));
  CHECK_FALSE(offered(Collective::AllGather, "bruck", FabricClass::Mesh, 8));
  CHECK_FALSE(offered(Collective::Broadcast, "flat", FabricClass::Line, 4));
  CHECK_FALSE(offered(Collective::AllReduce, "two_shot", FabricClass::Mesh, 1));
}

TEST_CASE("names and roots that do not exist are errors that say what does") {
  CHECK_THROWS_WITH(find(Collective::Barrier, "one_shot"),
                    contains("dissemination") && contains("bidirectional_relay"));
  const Fabric mesh = Fabric::make(FabricClass::Mesh, 4);
  CHECK_THROWS_WITH(offer(find(Collective::Broadcast, "flat"), mesh, 4), contains("0 to 3"));
  CHECK_THROWS_AS(offer(find(Collective::Broadcast, "flat"), mesh, -1), roce::Error);
}

TEST_CASE("a schedule prints one line an operation and the ranks side by side") {
  const Fabric pair = Fabric::make(FabricClass::Pair, 2);
  const Schedule schedule = find(Collective::AllReduce, "one_shot").make(pair, 0).value();
  CHECK(to_text(schedule) ==
        "all_reduce/one_shot  ranks 2  slots 2\n"
        "  op  rank 0                     rank 1\n"
        "   0  copy slot0 <- in           copy slot1 <- in\n"
        "   1  put 1.slot0 <- slot0       put 0.slot1 <- slot1\n"
        "   2  wait slot1                 wait slot0\n"
        "   3  reduce out <- slot0 slot1  reduce out <- slot0 slot1\n");
  CHECK_THAT(to_text(schedule, 1), !contains("rank 0") && contains("rank 1"));
  CHECK_THROWS_AS(to_text(schedule, 2), roce::Error);
  CHECK(to_text(slot(3, {4, 4, 8})) == "slot3[4..8/8]");
  CHECK(to_text(copy(slot(1, {2, 2, 4}), slot(0, {1, 1, 2}))) ==
        "copy slot1[2..4/4] <- slot0[1/2]");
}

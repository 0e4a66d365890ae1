// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/connect.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "roce/status.hpp"
#include "src/transport/verbs/devices.hpp"
#include "src/transport/verbs/handshake.hpp"
#include "tests/catch.hpp"
#include "tests/ranks.hpp"

using Catch::Contains;
using namespace roce::transport::verbs;

namespace {

/// A port on a device that no machine has.
PortInfo made_up_port(int node) {
  GidInfo gid{1, {}, 24, "made_up"};
  gid.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 0};
  gid.bytes[15] = static_cast<std::uint8_t>(node + 1);
  return {fmt::format("made_up{}", node), 1, "made_up", 4096, 100'000, {gid}};
}

/// What each rank's connect() throws; `peers_of` a rank.
std::vector<std::string> errors(int ranks, const std::vector<std::vector<PortInfo>>& ports,
                                const std::function<std::vector<int>(int)>& peers_of) {
  const roce::UniqueId id = roce::UniqueId::generate("127.0.0.1");
  std::vector<std::string> texts(static_cast<std::size_t>(ranks));
  roce::tests::on_threads(ranks, [&](int rank) {
    const auto bootstrap = roce::make_tcp_bootstrap(id, rank, ranks, std::chrono::seconds(20));
    alignas(64) static thread_local std::byte memory[4096];
    try {
      const auto transport =
          connect(*bootstrap, roce::tests::test_config(), memory, ports, peers_of(rank));
      transport->poll();
      const bool sound = transport->memory() == memory && !transport->failure();
      if (!sound) texts[static_cast<std::size_t>(rank)] = "not connected";
    } catch (const roce::Error& error) {
      texts[static_cast<std::size_t>(rank)] = std::string(error.what());
    }
  });
  return texts;
}

}  // namespace

TEST_CASE("ranks without verbs peers connect without a device") {
  const auto texts = errors(3, {{}, {}, {}}, [](int) { return std::vector<int>{}; });
  for (const auto& text : texts) CHECK(text.empty());
}

TEST_CASE("a rank whose device cannot be opened fails all ranks with one sentence") {
  const auto texts = errors(3, {{made_up_port(0)}, {made_up_port(1)}, {}}, [](int rank) {
    return rank == 2 ? std::vector<int>{} : std::vector<int>{1 - rank};
  });
  CHECK_THAT(texts[0], Contains("ranks 0 and 1: "));
  CHECK(texts[1] == texts[0]);
  CHECK(texts[2] == texts[0]);
}

#ifdef ROCE_HAVE_VERBS
TEST_CASE("ranks that share no cable are told what each of them has") {
  auto ports = std::vector<std::vector<PortInfo>>{{made_up_port(0)}, {made_up_port(1)}};
  ports[1][0].gids[0].bytes[13] = 9;
  const auto texts = errors(2, ports, [](int rank) { return std::vector<int>{1 - rank}; });
  CHECK_THAT(texts[0], Contains("ranks 0 and 1 share no cable") && Contains("10.0.0.1/24") &&
                           Contains("10.9.0.2/24"));
  CHECK(texts[1] == texts[0]);
}
#endif

TEST_CASE("a machine without devices says why") {
  roce::Config config;
  config.set("ROCE_HCA", "no_such_device");
  const FoundPorts found = find_ports(config);
  CHECK(found.ports.empty());
  CHECK_FALSE(found.reasons.empty());
  CHECK(no_ports_text(found).size() > 20);
  config.set("ROCE_HCA", "a,,b");
  CHECK_THROWS_WITH(find_ports(config), Contains("ROCE_HCA"));
}

TEST_CASE("offers with different settings are refused on all ranks") {
  const roce::UniqueId id = roce::UniqueId::generate("127.0.0.1");
  std::vector<std::string> texts(3);
  std::vector<std::size_t> later(3);
  roce::tests::on_threads(3, [&](int rank) {
    const auto bootstrap = roce::make_tcp_bootstrap(id, rank, 3, std::chrono::seconds(20));
    const auto index = static_cast<std::size_t>(rank);
    Offer mine;
    mine.settings.assign(1, rank == 2 ? 'b' : 'a');
    // Rank 0 has nothing to connect, so its settings do not matter.
    if (rank != 0) mine.endpoints.push_back({3 - rank, 0, 1, 2, 3, 4});
    try {
      (void)exchange(*bootstrap, mine);
    } catch (const roce::Error& error) {
      texts[index] = error.what();
    }
    later[index] = exchange(*bootstrap, Offer{}).size();
  });
  for (const std::string& text : texts) CHECK_THAT(text, Contains("ranks 1 and 2"));
  CHECK(later == std::vector<std::size_t>(3, 3));
}

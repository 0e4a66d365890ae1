// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>

#include <algorithm>
#include <string>

#include "roce/status.hpp"
#include "src/transport/verbs/hca_filter.hpp"
#include "src/transport/verbs/port_info.hpp"
#include "src/transport/verbs/rails.hpp"
#include "tests/catch.hpp"

using Catch::Contains;
using namespace roce::transport::verbs;

namespace {

GidInfo gid(int index, const std::string& address, int prefix, const std::string& netdev) {
  GidInfo info{index, {}, prefix, netdev};
  if (address.find(':') == std::string::npos) {
    info.bytes[10] = info.bytes[11] = 0xff;
    REQUIRE(::inet_pton(AF_INET, address.c_str(), info.bytes.data() + 12) == 1);
  } else {
    REQUIRE(::inet_pton(AF_INET6, address.c_str(), info.bytes.data()) == 1);
  }
  return info;
}

/// A port whose device is named as its netdev.
PortInfo port(const std::string& name, std::vector<GidInfo> gids) {
  return {name, 1, name, 4096, 100'000, std::move(gids)};
}

PortInfo port(const std::string& name, const std::string& address, int prefix = 24) {
  return port(name, {gid(1, address, prefix, name)});
}

Rail mirrored(const Rail& rail) {
  return {rail.peer_port, rail.peer_gid, rail.my_port, rail.my_gid};
}

/// The rails as one side sees them, after a check that the other side sees the same.
std::vector<Rail> both_ways(const std::vector<PortInfo>& a, const std::vector<PortInfo>& b) {
  const std::vector<Rail> forth = rails(a, b);
  std::vector<Rail> back = rails(b, a);
  std::ranges::transform(back, back.begin(), mirrored);
  CHECK(forth == back);
  return forth;
}

}  // namespace

TEST_CASE("an empty ROCE_HCA allows every port") {
  CHECK(HcaFilter("").allows("mlx5_0", 1));
  CHECK(HcaFilter("").allows("rxe0", 2));
}

TEST_CASE("ROCE_HCA matches as NCCL_IB_HCA does") {
  struct Case {
    const char* text;
    const char* device;
    int port;
    bool allowed;
  };
  const Case each = GENERATE(values<Case>({
      {"mlx5", "mlx5_0", 1, true},
      {"mlx5", "rxe0", 1, false},
      {"mlx5_1", "mlx5_1", 1, true},
      {"mlx5_1", "mlx5_10", 1, true},
      {"=mlx5_1", "mlx5_10", 1, false},
      {"=mlx5_1", "mlx5_1", 2, true},
      {"=mlx5_1:2", "mlx5_1", 1, false},
      {"mlx5_0:1,mlx5_1:2", "mlx5_1", 2, true},
      {"mlx5_0:1,mlx5_1:2", "mlx5_0", 2, false},
      {"^mlx5_1", "mlx5_0", 1, true},
      {"^mlx5_1", "mlx5_12", 1, false},
      {"^=mlx5_1", "mlx5_12", 1, true},
      {"^=mlx5_1,rxe", "mlx5_1", 1, false},
      {"^mlx5_0:2", "mlx5_0", 1, true},
  }));
  CAPTURE(each.text, each.device, each.port);
  CHECK(HcaFilter(each.text).allows(each.device, each.port) == each.allowed);
}

TEST_CASE("a bad ROCE_HCA is refused with where it is wrong") {
  const auto* const text =
      GENERATE("^", "=", "^=", ",", "a,,b", ":1", "a:", "a:0", "a:x", "a:1x", "a:99999999999");
  CHECK_THROWS_WITH(HcaFilter(text), Contains(std::string("ROCE_HCA=") + text));
}

TEST_CASE("ports survive the way to another rank") {
  const std::vector<PortInfo> ports{
      port("mlx5_0", {gid(3, "10.0.0.1", 24, "enp1s0"), gid(5, "fd00::1", 64, "enp1s0.7")}),
      {"strange \"name\" \xff", 2, "", 1024, 0, {}}};
  const auto bytes = to_bytes(ports);
  const auto back = ports_from_bytes(bytes, 3);
  REQUIRE(back.size() == 2);
  CHECK(back[0] == ports[0]);
  CHECK(back[1].port == 2);
  CHECK(back[1].gids.empty());
  CHECK(ports_from_bytes(to_bytes({}), 0).empty());
}

TEST_CASE("a list of ports that cannot be read names its sender") {
  const std::string text = GENERATE("", "{", "[1]", "[{\"device\":\"x\"}]", "{\"a\":1}");
  CHECK_THROWS_WITH(ports_from_bytes(std::as_bytes(std::span(text)), 7), Contains("rank 7"));
}

TEST_CASE("addresses are printed as people write them") {
  CHECK(address_text(gid(0, "192.168.1.20", 24, "").bytes) == "192.168.1.20");
  CHECK(address_text(gid(0, "fd00::12", 64, "").bytes) == "fd00::12");
  CHECK(list_ports({}) == "no usable port");
  CHECK(list_ports({port("rxe0", "10.0.0.1")}) == "rxe0:1 10.0.0.1/24 (rxe0)");
}

TEST_CASE("ranks without a common subnet have no rail") {
  CHECK(both_ways({port("a", "10.0.0.1")}, {port("b", "10.0.1.2")}).empty());
  CHECK(both_ways({}, {port("b", "10.0.1.2")}).empty());
  CHECK(both_ways({port("a", "fd00::1", 64)}, {port("b", "10.0.0.2")}).empty());
}

TEST_CASE("each cable of a ring is the rail of its two ends only") {
  const std::vector<PortInfo> node0{port("a0", "10.0.0.1"), port("a1", "10.3.0.1")};
  const std::vector<PortInfo> node1{port("b0", "10.0.0.2"), port("b1", "10.1.0.2")};
  const std::vector<PortInfo> node2{port("c0", "10.1.0.3"), port("c1", "10.2.0.3")};
  CHECK(both_ways(node0, node1) == std::vector<Rail>{{0, 0, 0, 0}});
  CHECK(both_ways(node1, node2) == std::vector<Rail>{{1, 0, 0, 0}});
  CHECK(both_ways(node0, node2).empty());
}

TEST_CASE("twins give two rails whatever the order in which they were found") {
  const std::vector<PortInfo> mine{port("a0", "10.0.0.1"), port("a1", "10.1.0.1")};
  const std::vector<PortInfo> theirs{port("b0", "10.1.0.2"), port("b1", "10.0.0.2")};
  CHECK(both_ways(mine, theirs) == std::vector<Rail>{{0, 0, 1, 0}, {1, 0, 0, 0}});
}

TEST_CASE("twins in one subnet use each port once") {
  const std::vector<PortInfo> mine{port("a0", "10.0.0.1"), port("a1", "10.0.0.4")};
  const std::vector<PortInfo> theirs{port("b0", "10.0.0.3"), port("b1", "10.0.0.2")};
  const auto found = both_ways(mine, theirs);
  REQUIRE(found.size() == 2);
  CHECK(found[0].my_port != found[1].my_port);
  CHECK(found[0].peer_port != found[1].peer_port);
}

TEST_CASE("IPv4 comes before IPv6 on the same cable") {
  const std::vector<PortInfo> mine{
      port("a", {gid(1, "fd00::1", 64, "a"), gid(4, "10.0.0.1", 24, "a")})};
  const std::vector<PortInfo> theirs{
      port("b", {gid(2, "10.0.0.2", 24, "b"), gid(3, "fd00::2", 64, "b")})};
  CHECK(both_ways(mine, theirs) == std::vector<Rail>{{0, 1, 0, 0}});
  const std::vector<PortInfo> only6{port("b", "fd00::2", 64)};
  CHECK(both_ways(mine, only6) == std::vector<Rail>{{0, 0, 0, 0}});
}

TEST_CASE("both netmasks must have the other end on link") {
  const std::vector<PortInfo> wide{port("a", "10.0.0.1", 16)};
  CHECK(both_ways(wide, {port("b", "10.0.0.2", 24)}).size() == 1);
  CHECK(both_ways(wide, {port("b", "10.0.1.2", 24)}).empty());
  CHECK(both_ways({port("a", "10.0.0.1", 31)}, {port("b", "10.0.0.0", 31)}).size() == 1);
  CHECK(both_ways({port("a", "10.0.0.1", 32)}, {port("b", "10.0.0.2", 32)}).empty());
}

TEST_CASE("ranks of one node share its ports") {
  const std::vector<PortInfo> node{port("a0", "10.0.0.1"), port("a1", "10.1.0.1")};
  CHECK(both_ways(node, node) == std::vector<Rail>{{0, 0, 0, 0}, {1, 0, 1, 0}});
}

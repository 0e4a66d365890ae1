// SPDX-License-Identifier: Apache-2.0
#include "roce/unique_id.hpp"

#include "roce/status.hpp"
#include "tests/catch.hpp"

using Catch::Contains;
using roce::UniqueId;

namespace {

const std::string digits = "00112233445566778899aabbccddeeff";

}  // namespace

TEST_CASE("an id is written and read back") {
  const auto text = GENERATE_COPY(as<std::string>{}, "spark1:29400/" + digits,
                                  "10.0.0.1:1/" + digits, "[fd00::1]:65535/" + digits);
  CHECK(UniqueId::parse(text).to_string() == text);
}

TEST_CASE("the parts are read") {
  const UniqueId id = UniqueId::parse("[fd00::1]:29400/00112233445566778899AABBCCDDEEFF");
  CHECK(id.host == "fd00::1");
  CHECK(id.port == 29400);
  CHECK(id.secret[1] == 0x11);
  CHECK(id.secret[15] == 0xff);
}

TEST_CASE("generated ids have a host, a free port and a secret of their own") {
  const UniqueId id = UniqueId::generate("127.0.0.1");
  CHECK(id.host == "127.0.0.1");
  CHECK(id.port != 0);
  CHECK(id.secret != UniqueId{}.secret);
  CHECK(id.secret != UniqueId::generate("127.0.0.1").secret);
  CHECK_FALSE(UniqueId::generate().host.empty());
  CHECK(UniqueId::parse(UniqueId::generate("::1").to_string()).host == "::1");
}

TEST_CASE("what is wrong with an id is said") {
  const auto [text, expected] = GENERATE_COPY(table<std::string, const char*>({
      {"", "host is missing"},
      {"spark1", "port is missing"},
      {":1/" + digits, "host is missing"},
      {"spark1:/" + digits, "port"},
      {"spark1:0/" + digits, "from 1 to 65535"},
      {"spark1:65536/" + digits, "from 1 to 65535"},
      {"spark1:12x/" + digits, "'12x'"},
      {"spark1:-1/" + digits, "'-1'"},
      {"fd00::1:29400/" + digits, "brackets"},
      {"[fd00::1:29400/" + digits, "not closed"},
      {"[fd00::1]29400/" + digits, "port is missing"},
      {"spark1:29400", "secret is missing"},
      {"spark1:29400/", "32 hexadecimal digits"},
      {"spark1:29400/" + digits + "0", "32 hexadecimal digits"},
      {"spark1:29400/+0112233445566778899aabbccddeeff", "32 hexadecimal digits"},
      {"spark1:29400/g0112233445566778899aabbccddeeff", "32 hexadecimal digits"},
  }));
  CHECK_THROWS_WITH(UniqueId::parse(text), Contains(expected));
}

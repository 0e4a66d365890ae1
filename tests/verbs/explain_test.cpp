// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/explain.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

#include "src/transport/verbs/counters.hpp"
#include "src/transport/verbs/queue_pair.hpp"
#include "tests/catch.hpp"

using Catch::Contains;
using namespace roce::transport::verbs;
using namespace std::chrono_literals;

namespace {

LinkText link() {
  return {2, 5, {"mlx5_0:1", "10.0.0.1", 3, "enp1s0"}, {"mlx5_1:2", "10.0.0.2", 4, "enp2s0"}};
}

void check_names(const std::string& text) {
  for (const char* name : {"rank 5", "mlx5_0:1", "10.0.0.1", "GID index 3", "enp1s0", "mlx5_1:2",
                           "10.0.0.2", "GID index 4", "enp2s0"}) {
    CHECK_THAT(text, Contains(name));
  }
}

}  // namespace

TEST_CASE("every errno of ibv_modify_qp that people meet has its own advice") {
  std::set<std::string> advice;
  for (const int error :
       {EINVAL, ENODATA, ENETUNREACH, ETIMEDOUT, ECONNREFUSED, EHOSTUNREACH, ENOMEM, EIO}) {
    const std::string text = explain_modify(link(), "RTR", error);
    check_names(text);
    CHECK_THAT(text, Contains("RTR") && Contains("errno " + std::to_string(error)));
    CHECK_THAT(text, Contains("check") || Contains("add it"));
    advice.insert(text.substr(text.find("); ")));
  }
  CHECK(advice.size() == 8);
}

TEST_CASE("every status of a completion is named and explained") {
  std::set<std::string> names;
  for (int status = IBV_WC_LOC_LEN_ERR; status <= IBV_WC_TM_RNDV_INCOMPLETE; ++status) {
    const std::string text = explain_completion(link(), static_cast<ibv_wc_status>(status), 0x81);
    check_names(text);
    CHECK_THAT(text, Contains("vendor error 0x81") && !Contains("unknown"));
    const std::size_t begin = text.find("failed: ");
    names.insert(text.substr(begin, text.find(" (status") - begin));
  }
  CHECK(names.size() == IBV_WC_TM_RNDV_INCOMPLETE);
  CHECK_THAT(explain_completion(link(), static_cast<ibv_wc_status>(30), 0),
             Contains("failed: unknown (status 30"));
}

TEST_CASE("the ack timeout is rounded up to what devices have") {
  CHECK(ack_timeout_exponent(5us) == 1);
  CHECK(ack_timeout_exponent(9us) == 2);
  CHECK(ack_timeout_exponent(67ms) == 14);
  CHECK(ack_timeout_exponent(68ms) == 15);
  CHECK(ack_timeout_exponent(134ms) == 15);
  CHECK(ack_timeout_exponent(60s) == 24);
}

TEST_CASE("counters tell what changed since the start") {
  namespace fs = std::filesystem;
  const fs::path ports =
      fs::temp_directory_path() / ("roce_counters_" + std::to_string(::getpid()));
  const fs::path folder = ports / "1" / "hw_counters";
  fs::create_directories(folder);
  const auto set = [&](const char* name, int value) { std::ofstream(folder / name) << value; };
  set("duplicate_request", 5);
  set("retry_exceeded_err", 0);
  set("rcvd_seq_err", 9);
  set("sent_pkts", 10);
  const PortCounters counters(ports, 1);
  CHECK(counters.changes().empty());
  set("duplicate_request", 8);
  set("retry_exceeded_err", 1);
  set("rcvd_seq_err", 2);
  set("sent_pkts", 100);
  CHECK(counters.changes() == "duplicate_request +3, retry_exceeded_err +1");
  fs::remove_all(ports);
  CHECK(counters.changes().empty());
}

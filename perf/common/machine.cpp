// SPDX-License-Identifier: Apache-2.0
#include "perf/common/machine.hpp"

#include <sched.h>
#include <sys/utsname.h>

#include <array>
#include <ctime>
#include <fstream>

namespace roce::perf {
namespace {

// x86 names the model in /proc/cpuinfo; Arm servers name the machine in the device tree or DMI.
std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  for (const char* file :
       {"/sys/devices/virtual/dmi/id/product_name", "/sys/firmware/devicetree/base/model"}) {
    std::ifstream stream(file);
    std::string line;
    if (std::getline(stream, line) && !line.empty()) return line.substr(0, line.find('\0'));
  }
  return "unknown";
}

}  // namespace

Machine this_machine() {
  Machine machine;
  utsname names{};
  if (::uname(&names) == 0) {
    machine.host = names.nodename;
    machine.kernel = std::string(names.sysname) + " " + names.release + " " + names.machine;
  }
  machine.processor = processor_name();
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    machine.cores = static_cast<unsigned>(CPU_COUNT(&allowed));
  }
  return machine;
}

std::string timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
  return {text.data(), length};
}

}  // namespace roce::perf

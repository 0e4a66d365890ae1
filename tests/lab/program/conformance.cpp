// SPDX-License-Identifier: Apache-2.0
// One rank of a conformance run over whatever connects the ranks: every schedule that fits the
// fabric, with every type and operator, bit for bit. Ranks find each other as launched.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "roce/roce.hpp"
#include "src/schedule/catalog.hpp"
#include "tests/support/conformance.hpp"
#include "topology/fabric.hpp"

using namespace roce;         // NOLINT(google-build-using-namespace)
using namespace roce::tests;  // NOLINT(google-build-using-namespace)

namespace {

struct Settings {
  std::string fabric = "switch";
  int per_host = 1;
  Coverage coverage;
  std::size_t every = 1;
  std::string transport;
};

/// The fabric of ranks, `per_host` of them on each host of a regular fabric of hosts.
topology::Fabric fabric_of(const Settings& settings, int ranks) {
  const int hosts = (ranks + settings.per_host - 1) / settings.per_host;
  const auto shape = topology::parse_fabric_class(settings.fabric);
  const topology::Fabric cables = topology::Fabric::make(shape, hosts);
  topology::Links links(ranks);
  for (int a = 0; a < ranks; ++a) {
    for (int b = a + 1; b < ranks; ++b) {
      const int host = a / settings.per_host;
      const int other = b / settings.per_host;
      if (host == other || cables.linked(host, other)) links.link(a, b);
    }
  }
  return topology::Fabric::from_links(links, shape == topology::FabricClass::Switch);
}

std::uint64_t digest(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const std::byte byte : bytes)
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3U;
  return hash;
}

/// Throws when the ranks' digests of some case differ.
void compare(Communicator& communicator, const std::vector<CollectiveCase>& cases,
             const std::vector<std::uint64_t>& mine) {
  std::vector<std::uint64_t> all(mine.size() * static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(mine.data(), all.data(), mine.size(), DataType::Uint64).throw_if_failed();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == mine[i % mine.size()]) continue;
    throw std::runtime_error(fmt::format("ranks {} and {} have different bits: {}",
                                         communicator.rank(), i / mine.size(),
                                         cases[i % mine.size()].text()));
  }
}

void run_barriers(Communicator& communicator, const topology::Fabric& fabric) {
  for (const schedule::CatalogEntry& entry : schedule::catalog()) {
    if (entry.collective != Collective::Barrier || !schedule::offer(entry, fabric, 0)) continue;
    Plan plan = communicator.plan({.collective = Collective::Barrier,
                                   .count = 0,
                                   .type = DataType::Uint8,
                                   .op = {},
                                   .root = 0,
                                   .schedule = std::string(entry.name)});
    for (int i = 0; i < 10; ++i) plan.run(nullptr, nullptr).throw_if_failed();
  }
}

void run(const Settings& settings) {
  Communicator communicator = Communicator::from_environment();
  if (!settings.transport.empty() && communicator.transport() != settings.transport) {
    throw std::runtime_error(
        fmt::format("the transport is {}, not {}", communicator.transport(), settings.transport));
  }
  const topology::Fabric fabric = fabric_of(settings, communicator.size());
  const auto all = catalog_cases(fabric, settings.coverage);
  std::vector<CollectiveCase> cases;
  for (std::size_t i = settings.coverage.seed % settings.every; i < all.size();
       i += settings.every) {
    cases.push_back(all[i]);
  }
  if (cases.empty()) throw std::runtime_error("no schedule fits");
  std::vector<std::uint64_t> digests;
  for (const CollectiveCase& what : cases) {
    const Bytes result = run_case(communicator, what, ExpectedResult(what));
    // Ranks have blocks of their own after a reduce-scatter.
    digests.push_back(what.spec.collective == Collective::ReduceScatter ? 0 : digest(result));
  }
  compare(communicator, cases, digests);
  run_barriers(communicator, fabric);
  fmt::print("rank {} of {} over {}: {} cases right\n", communicator.rank(), communicator.size(),
             communicator.transport(), cases.size());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"One rank of a conformance run; see tests/lab."};
  Settings settings;
  app.add_option("--fabric", settings.fabric, "How the hosts are wired: switch, ring, line, mesh");
  app.add_option("--per-host", settings.per_host, "Ranks on each host")->check(CLI::PositiveNumber);
  app.add_option("--segment", settings.coverage.segment_bytes, "Counts are chosen around it");
  app.add_option("--seed", settings.coverage.seed, "Draws counts, places and alignments");
  app.add_option("--every", settings.every, "Run one case of so many")->check(CLI::PositiveNumber);
  app.add_option("--transport", settings.transport, "Fail when another one was taken");
  CLI11_PARSE(app, argc, argv);
  try {
    run(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "lab_conformance: {}\n", error.what());
    return 1;
  }
  return 0;
}

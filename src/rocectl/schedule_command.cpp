// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "roce/status.hpp"
#include "src/rocectl/command.hpp"
#include "src/schedule/catalog.hpp"
#include "src/schedule/print.hpp"

namespace roce::rocectl {
namespace {

using schedule::CatalogEntry;
using schedule::ScheduleFacts;
using topology::Fabric;
using topology::FabricClass;

struct ShowOptions {
  std::string name;
  std::string collective = "all_reduce";
  std::string fabric = "mesh";
  int ranks = 4;
  int root = 0;
  std::optional<int> rank;
};

struct VerifyOptions {
  int max_ranks = 16;
  std::string json;
};

int list() {
  for (const CatalogEntry& entry : schedule::catalog()) {
    fmt::print("{:<15} {:<20} {}\n", to_string(entry.collective), entry.name, entry.description);
  }
  return 0;
}

/// NAME is "one_shot" or "all_gather/one_shot".
const CatalogEntry& find_entry(const ShowOptions& options) {
  const std::size_t slash = options.name.find('/');
  const std::string collective =
      slash == std::string::npos ? options.collective : options.name.substr(0, slash);
  const std::string name =
      slash == std::string::npos ? options.name : options.name.substr(slash + 1);
  return schedule::find(parse_collective(collective), name);
}

std::string facts_text(const ScheduleFacts& facts) {
  return fmt::format("depth {}  flush {}  {}  hops {}  puts {}  sent {:.3f} vectors", facts.depth,
                     facts.flush_needed ? "needed" : "no", to_string(facts.numerics), facts.hops,
                     facts.puts, facts.sent);
}

/// Why an entry is not offered on a fabric.
std::string refusal(const CatalogEntry& entry, const Fabric& fabric, int root) {
  const auto made = entry.make(fabric, root);
  const std::string reason =
      made ? schedule::check(*made, fabric, 1).reason : "it does not exist for that order of ranks";
  return fmt::format("{}/{} is not offered on a {} of {}: {}", to_string(entry.collective),
                     entry.name, topology::to_string(fabric.fabric_class()), fabric.ranks(),
                     reason);
}

int show(const ShowOptions& options) {
  const CatalogEntry& entry = find_entry(options);
  const Fabric fabric = Fabric::make(topology::parse_fabric_class(options.fabric), options.ranks);
  const auto offered = schedule::offer(entry, fabric, options.root);
  if (!offered) {
    throw Error(ErrorCode::Unsupported, refusal(entry, fabric, options.root));
  }
  fmt::print("{}{}\n", schedule::to_text(offered->schedule(), options.rank),
             facts_text(offered->facts()));
  return 0;
}

/// One line of `verify`.
struct Row {
  const CatalogEntry& entry;
  const Fabric& fabric;
  std::optional<ScheduleFacts> facts;  ///< empty when unsound
  std::string reason;
};

/// The regular fabrics of a number of ranks, each once.
std::vector<Fabric> fabrics_of(int ranks) {
  std::vector<Fabric> fabrics;
  std::set<FabricClass> known;
  for (const FabricClass wanted :
       {FabricClass::Line, FabricClass::Ring, FabricClass::Mesh, FabricClass::Switch}) {
    Fabric fabric = Fabric::make(wanted, ranks);
    if (known.insert(fabric.fabric_class()).second) fabrics.push_back(std::move(fabric));
  }
  return fabrics;
}

/// The facts that hold whatever the root.
void take_worse(ScheduleFacts& facts, const ScheduleFacts& other) {
  facts.depth = std::max(facts.depth, other.depth);
  facts.flush_needed = facts.flush_needed || other.flush_needed;
  if (other.numerics == Numerics::Agreed) facts.numerics = Numerics::Agreed;
  facts.hops = std::max(facts.hops, other.hops);
  facts.puts = std::max(facts.puts, other.puts);
  facts.sent = std::max(facts.sent, other.sent);
}

/// Verifies an entry for every root that the fabric has the links for. Empty when that is sound and
/// not offered for every root.
std::optional<Row> verify_entry(const CatalogEntry& entry, const Fabric& fabric) {
  const int roots = entry.collective == Collective::Broadcast ? fabric.ranks() : 1;
  int offers = 0;
  ScheduleFacts worst;
  worst.numerics = Numerics::RankOrdered;
  for (int root = 0; root < roots; ++root) {
    try {
      const auto offered = schedule::offer(entry, fabric, root);
      if (!offered) continue;
      ++offers;
      take_worse(worst, offered->facts());
    } catch (const Error& error) {
      return Row{entry, fabric, {}, error.what()};
    }
  }
  if (offers < roots) return std::nullopt;
  return Row{entry, fabric, worst, {}};
}

void print_row(const Row& row) {
  fmt::print("{:<15} {:<20} {:>5}  {:<7}", to_string(row.entry.collective), row.entry.name,
             row.fabric.ranks(), topology::to_string(row.fabric.fabric_class()));
  if (!row.facts) {
    fmt::print(" UNSOUND: {}\n", row.reason);
    return;
  }
  fmt::print(" {:>5}  {:<6} {:<13} {:>4} {:>5} {:>8.3f}\n", row.facts->depth,
             row.facts->flush_needed ? "needed" : "no", to_string(row.facts->numerics),
             row.facts->hops, row.facts->puts, row.facts->sent);
}

nlohmann::json json_of(const Row& row) {
  nlohmann::json json = {{"collective", to_string(row.entry.collective)},
                         {"name", row.entry.name},
                         {"ranks", row.fabric.ranks()},
                         {"fabric", topology::to_string(row.fabric.fabric_class())},
                         {"sound", row.facts.has_value()}};
  if (!row.facts) {
    json["reason"] = row.reason;
    return json;
  }
  json["depth"] = row.facts->depth;
  json["flush_needed"] = row.facts->flush_needed;
  json["numerics"] = to_string(row.facts->numerics);
  json["hops"] = row.facts->hops;
  json["puts"] = row.facts->puts;
  json["sent"] = row.facts->sent;
  return json;
}

void write_json(const std::string& path, const nlohmann::json& json) {
  std::ofstream file(path);
  file << json.dump(1) << "\n";
  file.close();
  if (!file) throw Error(ErrorCode::Resource, fmt::format("cannot write {}", path));
}

int verify(const VerifyOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  fmt::print("{:<15} {:<20} {:>5}  {:<7} {:>5}  {:<6} {:<13} {:>4} {:>5} {:>8}\n", "collective",
             "schedule", "ranks", "fabric", "depth", "flush", "numerics", "hops", "puts", "sent");
  nlohmann::json json = nlohmann::json::array();
  int sound = 0;
  int unsound = 0;
  for (const CatalogEntry& entry : schedule::catalog()) {
    for (int ranks = 1; ranks <= options.max_ranks; ++ranks) {
      for (const Fabric& fabric : fabrics_of(ranks)) {
        const std::optional<Row> row = verify_entry(entry, fabric);
        if (!row) continue;
        print_row(*row);
        json.push_back(json_of(*row));
        ++(row->facts ? sound : unsound);
      }
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print(
      "{} schedules sound, {} unsound, in {:.2f} s. hops: on the longest dependent path; puts and "
      "sent: the most of one rank; sent in units of the whole vector.\n",
      sound, unsound, took.count());
  if (!options.json.empty()) write_json(options.json, json);
  return unsound == 0 ? 0 : 1;
}

void add_show(CLI::App& parent, Action& action) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command = parent.add_subcommand("show", "Print a schedule, one line an operation");
  command->add_option("name", options->name, "for example one_shot or all_gather/one_shot")
      ->required();
  command->add_option("-n,--ranks", options->ranks, "number of ranks")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--fabric", options->fabric, "line, ring, mesh or switch")
      ->capture_default_str();
  command->add_option("--collective", options->collective, "unless NAME says it")
      ->capture_default_str();
  command->add_option("--root", options->root, "root of a broadcast")->capture_default_str();
  command->add_option("--rank", options->rank, "only this rank's program");
  command->callback([options, &action] { action = [options] { return show(*options); }; });
}

void add_verify(CLI::App& parent, Action& action) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = parent.add_subcommand(
      "verify", "Verify every schedule on every regular fabric; status 1 if one is unsound");
  command->add_option("--max-ranks", options->max_ranks, "from 1 rank up to this many")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--json", options->json, "also write the rows to this file");
  command->callback([options, &action] { action = [options] { return verify(*options); }; });
}

}  // namespace

void add_schedule_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("schedule", "List, print and verify the collectives' schedules");
  command->require_subcommand(1);
  command->add_subcommand("list", "Name every schedule")->callback([&action] { action = list; });
  add_show(*command, action);
  add_verify(*command, action);
}

}  // namespace roce::rocectl

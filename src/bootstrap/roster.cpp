// SPDX-License-Identifier: Apache-2.0
#include "src/bootstrap/roster.hpp"

#include <algorithm>

namespace roce::bootstrap {
namespace {

void put(WireWriter& writer, const Listening& listening) {
  writer.put(listening.port).put(static_cast<std::uint16_t>(listening.hosts.size()));
  for (const std::string& host : listening.hosts) writer.put(std::string_view(host));
}

Listening get_listening(WireReader& reader) {
  Listening listening;
  listening.port = reader.get<std::uint16_t>();
  const auto count = reader.get<std::uint16_t>();
  for (std::uint16_t i = 0; i < count; ++i) listening.hosts.push_back(reader.text());
  return listening;
}

}  // namespace

Bytes encode(const Listening& listening) {
  WireWriter writer;
  put(writer, listening);
  return std::move(writer).bytes();
}

Listening decode_listening(std::span<const std::byte> payload) {
  WireReader reader(payload);
  return get_listening(reader);
}

Bytes encode(const Roster& roster) {
  WireWriter writer;
  writer.put(std::as_bytes(std::span(roster.session)))
      .put(static_cast<std::uint64_t>(roster.budget.count()))
      .put(static_cast<std::uint32_t>(roster.ranks.size()));
  for (const Listening& listening : roster.ranks) put(writer, listening);
  return std::move(writer).bytes();
}

Roster decode_roster(std::span<const std::byte> payload) {
  WireReader reader(payload);
  Roster roster;
  const auto session = reader.take(roster.session.size());
  std::transform(session.begin(), session.end(), roster.session.begin(),
                 [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  roster.budget = std::chrono::milliseconds(reader.get<std::uint64_t>());
  const auto count = reader.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < count; ++i) roster.ranks.push_back(get_listening(reader));
  return roster;
}

Bytes encode_ranks(const std::vector<int>& ranks) {
  WireWriter writer;
  writer.put(static_cast<std::uint32_t>(ranks.size()));
  for (const int rank : ranks) writer.put(static_cast<std::int32_t>(rank));
  return std::move(writer).bytes();
}

std::vector<int> decode_ranks(std::span<const std::byte> payload) {
  WireReader reader(payload);
  std::vector<int> ranks;
  const auto count = reader.get<std::uint32_t>();
  // Not reserved: the count comes from outside, and the reader ends what is too long.
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto rank = reader.get<std::int32_t>();
    ranks.push_back(rank);  // NOLINT(performance-inefficient-vector-operation)
  }
  return ranks;
}

}  // namespace roce::bootstrap

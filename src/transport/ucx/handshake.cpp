// SPDX-License-Identifier: Apache-2.0
#include "src/transport/ucx/handshake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

namespace roce::transport::ucx {
namespace {

using nlohmann::json;

std::vector<std::uint8_t> encode(const Offer& offer) {
  std::vector<std::uint8_t> address(offer.address.size());
  std::ranges::transform(offer.address, address.begin(),
                         [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  return json::to_cbor(json{{"code", static_cast<int>(offer.code)},
                            {"error", offer.error},
                            {"settings", offer.settings},
                            {"token", offer.token},
                            {"address", json::binary(std::move(address))}});
}

Offer decode(std::span<const std::byte> bytes, std::size_t rank) {
  try {
    const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    const json parsed = json::from_cbor(first, first + bytes.size());
    Offer offer{static_cast<ErrorCode>(parsed.at("code").get<int>()),
                parsed.at("error"),
                parsed.at("settings"),
                parsed.at("token"),
                {}};
    const auto address = std::as_bytes(std::span(parsed.at("address").get_binary()));
    offer.address.assign(address.begin(), address.end());
    return offer;
  } catch (const json::exception& error) {
    throw Error(ErrorCode::Mismatch,
                fmt::format("rank {} sent a UCX offer that cannot be read ({}); do all ranks use "
                            "the same version of the library?",
                            rank, error.what()));
  }
}

}  // namespace

std::vector<Offer> exchange(Bootstrap& bootstrap, const Offer& mine) {
  const std::vector<std::uint8_t> encoded = encode(mine);
  const auto answers = bootstrap.all_gather(std::as_bytes(std::span(encoded)));
  std::vector<Offer> offers;
  std::vector<Outcome> outcomes;
  for (std::size_t rank = 0; rank < answers.size(); ++rank) {
    offers.push_back(decode(answers[rank], rank));
    outcomes.push_back({offers.back().code, offers.back().error});
  }
  require_no_errors(outcomes);
  for (std::size_t rank = 1; rank < offers.size(); ++rank) {
    if (offers[rank].settings == offers[0].settings) continue;
    throw Error(ErrorCode::Mismatch,
                fmt::format("ranks 0 and {} differ in what must be equal: '{}' and '{}'", rank,
                            offers[0].settings, offers[rank].settings));
  }
  return offers;
}

}  // namespace roce::transport::ucx

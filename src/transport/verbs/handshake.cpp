// SPDX-License-Identifier: Apache-2.0
#include "src/transport/verbs/handshake.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

namespace roce::transport::verbs {
namespace {

using nlohmann::json;

std::string encode(const Offer& offer) {
  json endpoints = json::array();
  for (const Endpoint& end : offer.endpoints) {
    endpoints.push_back({{"peer", end.peer},
                         {"rail", end.rail},
                         {"number", end.number},
                         {"psn", end.psn},
                         {"address", end.address},
                         {"key", end.key}});
  }
  return json{{"code", static_cast<int>(offer.code)},
              {"error", offer.error},
              {"settings", offer.settings},
              {"in_order", offer.in_order},
              {"endpoints", std::move(endpoints)}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

Offer decode(std::span<const std::byte> bytes, std::size_t rank) {
  try {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const json parsed = json::parse(text);
    Offer offer{static_cast<ErrorCode>(parsed.at("code").get<int>()),
                parsed.at("error"),
                parsed.at("settings"),
                parsed.at("in_order"),
                {}};
    for (const json& end : parsed.at("endpoints")) {
      offer.endpoints.push_back({end.at("peer"), end.at("rail"), end.at("number"), end.at("psn"),
                                 end.at("address"), end.at("key")});
    }
    return offer;
  } catch (const json::exception& error) {
    throw Error(ErrorCode::Mismatch,
                fmt::format("rank {} sent a verbs offer that cannot be read ({}); do all ranks use "
                            "the same version of the library?",
                            rank, error.what()));
  }
}

void require_equal_settings(const std::vector<Offer>& offers) {
  const Offer* first = nullptr;
  for (const Offer& offer : offers) {
    if (offer.endpoints.empty()) continue;
    if (first == nullptr) first = &offer;
    if (offer.settings == first->settings) continue;
    throw Error(
        ErrorCode::Mismatch,
        fmt::format("ranks {} and {} have different settings, which must be equal: '{}' and "
                    "'{}'",
                    first - offers.data(), &offer - offers.data(), first->settings,
                    offer.settings));
  }
}

}  // namespace

std::vector<Offer> exchange(Bootstrap& bootstrap, const Offer& mine) {
  const std::string text = encode(mine);
  const auto answers = bootstrap.all_gather(std::as_bytes(std::span(text)));
  std::vector<Offer> offers;
  offers.reserve(answers.size());
  for (std::size_t rank = 0; rank < answers.size(); ++rank) {
    offers.push_back(decode(answers[rank], rank));
  }
  std::vector<Outcome> outcomes;
  for (const Offer& offer : offers) outcomes.push_back({offer.code, offer.error});
  require_no_errors(outcomes);
  require_equal_settings(offers);
  return offers;
}

}  // namespace roce::transport::verbs

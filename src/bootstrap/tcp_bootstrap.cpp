// SPDX-License-Identifier: Apache-2.0
#include "src/bootstrap/tcp_bootstrap.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/bootstrap/shrink.hpp"

namespace roce {

Bootstrap::~Bootstrap() = default;

namespace bootstrap {
namespace {

constexpr int turn_ms = 100;

}  // namespace

TcpBootstrap::TcpBootstrap(const Secret& secret, int rank, Connections connections,
                           std::chrono::milliseconds timeout)
    : secret_(secret),
      rank_(rank),
      size_(static_cast<int>(connections.size())),
      timeout_(timeout),
      mesh_(rank, std::move(connections)) {}

std::vector<std::vector<std::byte>> TcpBootstrap::all_gather(std::span<const std::byte> mine) {
  if (mine.size() > max_data_bytes) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("rank {}: all_gather takes at most {} bytes from a rank, not {}", rank_,
                            max_data_bytes, mine.size()));
  }
  const Deadline deadline(timeout_);
  ++gathers_;
  mesh_.send_to_all(encode_frame(FrameType::Data, gathers_, mine));
  std::vector<Bytes> all(static_cast<std::size_t>(size_));
  std::vector<bool> have(all.size());
  all[static_cast<std::size_t>(rank_)].assign(mine.begin(), mine.end());
  have[static_cast<std::size_t>(rank_)] = true;
  if (size_ > 1) mesh_.pump(0);
  for (;;) {
    const auto missing = collect(all, have);
    if (missing.empty()) return all;
    check_gather(missing, deadline);
    mesh_.pump(deadline.poll_ms(turn_ms));
  }
}

// A peer's part counts as missing also while ours has not left for it: nobody else would send it.
std::vector<int> TcpBootstrap::collect(std::vector<Bytes>& all, std::vector<bool>& have) {
  std::vector<int> missing;
  for (int peer = 0; peer < size_; ++peer) {
    const auto i = static_cast<std::size_t>(peer);
    if (!have[i]) {
      if (auto part = mesh_.take_data(peer, gathers_)) {
        all[i] = std::move(*part);
        have[i] = true;
      }
    }
    if (!have[i] || mesh_.has_unsent(peer)) missing.push_back(peer);
  }
  return missing;
}

void TcpBootstrap::check_gather(const std::vector<int>& missing, const Deadline& deadline) const {
  if (const Failure* failure = mesh_.announced()) throw Error(failure->code, failure->message);
  for (const int peer : missing) {
    if (mesh_.gone(peer)) throw Error(ErrorCode::PeerFailed, mesh_.describe_gone(peer).message);
  }
  if (!deadline.passed()) return;
  throw Error(
      ErrorCode::Timeout,
      fmt::format("rank {} waited {} ms in an exchange for {}; check that all ranks make the "
                  "same calls, or raise ROCE_CONNECT_TIMEOUT",
                  rank_, timeout_.count(), rank_list(missing)));
}

void TcpBootstrap::announce(const Failure& failure) noexcept {
  try {
    mesh_.send_urgent_to_all(encode_frame(FrameType::Failure, 0, encode_failure(failure)));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    // Out of memory: the peers find out when this rank's connections close.
  }
}

std::optional<Failure> TcpBootstrap::poll_failure() noexcept {
  if (size_ == 1) return std::nullopt;
  try {
    mesh_.pump(0);
    if (const Failure* news = mesh_.take_announced()) return *news;
    if (const Failure* first = mesh_.announced()) return *first;
    if (mesh_.first_gone() >= 0) return mesh_.describe_gone(mesh_.first_gone());
  } catch (const std::exception&) {
    return make_failure(ErrorCode::Resource, rank_, -1, "out of memory");
  }
  return std::nullopt;
}

bool TcpBootstrap::peer_gone(int peer) const noexcept {
  return peer >= 0 && peer < size_ && mesh_.gone(peer);
}

void TcpBootstrap::check_survivors(std::span<const int> survivors) const {
  const bool ascending =
      std::ranges::adjacent_find(survivors, std::ranges::greater_equal{}) == survivors.end();
  const bool in_range = std::ranges::all_of(
      survivors, [this](int survivor) { return survivor >= 0 && survivor < size_; });
  if (ascending && in_range && std::ranges::find(survivors, rank_) != survivors.end()) return;
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("rank {} cannot shrink to ranks {}: name ranks below {}, ascending, this "
                          "rank among them",
                          rank_, fmt::join(survivors, ","), size_));
}

std::unique_ptr<Bootstrap> TcpBootstrap::shrink(std::span<const int> survivors) {
  check_survivors(survivors);
  if (survivors.size() == 1) {
    return std::make_unique<TcpBootstrap>(secret_, 0, Connections(1), timeout_);
  }
  if (size_ > 1) mesh_.pump(0);
  for (const int survivor : survivors) {
    if (mesh_.gone(survivor)) {
      throw Error(ErrorCode::PeerFailed, mesh_.describe_gone(survivor).message);
    }
  }
  Shrunk shrunk = shrink_mesh(
      mesh_, {.rank = rank_, .survivors = survivors, .secret = secret_, .timeout = timeout_});
  const auto me = std::ranges::find(survivors, rank_) - survivors.begin();
  return std::make_unique<TcpBootstrap>(shrunk.id.secret, static_cast<int>(me),
                                        std::move(shrunk.connections), timeout_);
}

}  // namespace bootstrap

std::unique_ptr<Bootstrap> make_tcp_bootstrap(const UniqueId& id, int rank, int size,
                                              std::chrono::milliseconds timeout) {
  using namespace bootstrap;  // NOLINT(google-build-using-namespace): its own part
  if (size < 1 || rank < 0 || rank >= size) {
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format("rank {} of {} is impossible: ranks go from 0 to size - 1", rank, size));
  }
  if (timeout <= std::chrono::milliseconds{0}) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("rank {}: a timeout of {} ms lets nobody meet; give a positive one",
                            rank, timeout.count()));
  }
  Connections connections(1);
  const Party party{.rank = rank, .size = size, .deadline = Deadline(timeout)};
  if (size > 1 && rank == 0) {
    connections = meet_as_root(Listener::for_host(id.host, id.port), id.secret, party);
  } else if (size > 1) {
    connections = meet_as_joiner([&id] { return id; }, party);
  }
  return std::make_unique<TcpBootstrap>(id.secret, rank, std::move(connections), timeout);
}

}  // namespace roce

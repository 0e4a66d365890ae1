// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <span>
#include <string>

#include "roce/status.hpp"

namespace roce::transport {

/// How a step of setting up went on one rank.
struct Outcome {
  ErrorCode code = ErrorCode::Ok;
  std::string error;  ///< not empty: this rank cannot go on
};

/// Notes what `build` throws in `outcome`, which has the members of an Outcome.
template <typename T, typename Build>
void attempt(T& outcome, Build build) {
  try {
    build();
  } catch (const Error& error) {
    outcome.code = static_cast<ErrorCode>(error.code().value());
    outcome.error = error.what();
  } catch (const std::exception& error) {
    outcome.code = ErrorCode::Resource;
    outcome.error = error.what();
  }
}

/// The reasons, by rank, of those that have one, each said once: "ranks 0 and 2: no device; rank 3:
/// no port". Empty when nobody has one.
[[nodiscard]] std::string reasons_by_rank(std::span<const std::string> reasons);

/// Throws what is wrong with the ranks' outcomes, by rank: the first such rank's code, and the
/// sentence of reasons_by_rank(). The same on all ranks that have the same outcomes.
void require_no_errors(std::span<const Outcome> outcomes);

}  // namespace roce::transport

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roce/status.hpp"

namespace roce::perf {

/// A refusal that every rank of the job arrives at by itself, so that one of them should print it
/// and none need be told.
class AgreedError final : public Error {
 public:
  using Error::Error;
};

}  // namespace roce::perf

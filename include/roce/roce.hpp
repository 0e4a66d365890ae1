// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The whole C++ API.
#include "roce/bootstrap.hpp"
#include "roce/communicator.hpp"
#include "roce/config.hpp"
#include "roce/launch.hpp"
#include "roce/status.hpp"
#include "roce/types.hpp"
#include "roce/unique_id.hpp"

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks a symbol as part of the library's public binary interface. Everything else is hidden.
#define ROCE_API __attribute__((visibility("default")))

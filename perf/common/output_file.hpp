// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roce::perf {

/// Replaces a file's content, by renaming, so that a reader sees the old or the new one. Writes in
/// place what is no regular file (a pipe, /dev/stdout). Throws roce::Error (Resource) with the
/// errno text.
void write_file(const std::string& path, const std::string& content);

/// Throws roce::Error (Resource) when write_file would fail for want of a directory or of
/// permission, so that a long run does not end in that.
void require_writable(const std::string& path);

}  // namespace roce::perf

// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "roce/status.hpp"

namespace roce::schedule {
namespace {

std::string buffer_text(const Slice& slice) {
  if (slice.buffer == Buffer::In) return "in";
  if (slice.buffer == Buffer::Out) return "out";
  return fmt::format("slot{}", slice.slot);
}

std::string part_text(const Slice& slice) {
  if (slice.first == 0 && slice.count == slice.of) return {};
  if (slice.count == 1) return fmt::format("[{}/{}]", slice.first, slice.of);
  return fmt::format("[{}..{}/{}]", slice.first, slice.first + slice.count, slice.of);
}

bool same_chunks(const Slice& a, const Slice& b) {
  return a.first == b.first && a.count == b.count && a.of == b.of;
}

/// The destination with its part, then the sources; a source's part only where it differs.
std::string data_text(std::string_view name, const std::string& dst, const Operation& operation) {
  std::string text = fmt::format("{} {}{} <-", name, dst, part_text(operation.dst));
  for (const Slice& source : operation.sources) {
    text += fmt::format(" {}{}", buffer_text(source),
                        same_chunks(source, operation.dst) ? "" : part_text(source));
  }
  return text;
}

/// One rank's column: a heading and a line for each operation.
std::vector<std::string> column_of(const Schedule& schedule, int rank) {
  std::vector<std::string> lines{fmt::format("rank {}", rank)};
  for (const Operation& operation : schedule.programs[static_cast<std::size_t>(rank)]) {
    lines.push_back(to_text(operation));
  }
  return lines;
}

std::size_t width_of(const std::vector<std::string>& column) {
  std::size_t width = 0;
  for (const std::string& line : column) width = std::max(width, line.size());
  return width;
}

std::string band_text(const std::vector<std::vector<std::string>>& columns) {
  std::size_t rows = 0;
  for (const auto& column : columns) rows = std::max(rows, column.size());
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    std::string line = row == 0 ? "  op" : fmt::format("{:>4}", row - 1);
    for (const auto& column : columns) {
      const std::string_view cell = row < column.size() ? std::string_view(column[row]) : "";
      line += fmt::format("  {:<{}}", cell, width_of(column));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string to_text(const Slice& slice) { return buffer_text(slice) + part_text(slice); }

std::string to_text(const Operation& operation) {
  switch (operation.kind) {
    case OpKind::Copy:
      return data_text("copy", buffer_text(operation.dst), operation);
    case OpKind::Reduce:
      return data_text("reduce", buffer_text(operation.dst), operation);
    case OpKind::Put:
      return data_text("put", fmt::format("{}.slot{}", operation.peer, operation.dst.slot),
                       operation);
    case OpKind::Wait:
      return fmt::format("wait slot{}", operation.dst.slot);
    case OpKind::Signal:
      return fmt::format("signal {}.slot{}", operation.peer, operation.dst.slot);
    case OpKind::Flush:
      return fmt::format("flush {}", operation.peer);
  }
  return fmt::format("operation of unknown kind {}", static_cast<int>(operation.kind));
}

std::string to_text(const Schedule& schedule, std::optional<int> rank, int columns) {
  if (rank && (*rank < 0 || *rank >= schedule.ranks)) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("rank {} is not among the schedule's ranks 0 to {}", *rank,
                            schedule.ranks - 1));
  }
  std::string text = fmt::format("{}/{}  ranks {}  slots {}", to_string(schedule.collective),
                                 schedule.name, schedule.ranks, schedule.slots);
  if (schedule.collective == Collective::Broadcast) text += fmt::format("  root {}", schedule.root);
  text += "\n";
  std::vector<std::vector<std::string>> band;
  std::size_t used = 4;
  for (int r = rank.value_or(0); r <= rank.value_or(schedule.ranks - 1); ++r) {
    std::vector<std::string> column = column_of(schedule, r);
    const std::size_t width = width_of(column) + 2;
    if (!band.empty() && used + width > static_cast<std::size_t>(columns)) {
      text += band_text(band) + "\n";
      band.clear();
      used = 4;
    }
    used += width;
    band.push_back(std::move(column));
  }
  return text + band_text(band);
}

}  // namespace roce::schedule

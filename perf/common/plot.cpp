// SPDX-License-Identifier: Apache-2.0
#include "perf/common/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "perf/common/axis.hpp"
#include "roce/status.hpp"

namespace roce::perf {
namespace {

// The document's geometry in pixels.
constexpr double width = 860;
constexpr double left = 86;
constexpr double right = width - 36;
constexpr double top = 78;
constexpr double bottom = top + 400;
constexpr double legend_top = bottom + 82;
constexpr double legend_step = 24;
constexpr double legend_line = 44;
constexpr double letter_width = 7.3;

struct Style {
  std::string_view colour;
  std::string_view dash;
  int marker;
};

// Okabe and Ito's palette, which people with colour blindness tell apart. Markers differ too.
Style style_of(const Series& line, std::size_t index) {
  constexpr std::array<std::string_view, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                    "#56b4e9", "#e69f00", "#444444"};
  return {colours[index % colours.size()], line.dashed ? "7 5" : "", static_cast<int>(index % 4)};
}

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

// The end of a text that is too long for the picture, where file names differ most.
std::string shorten(const std::string& text) {
  constexpr std::size_t longest = 96;
  return text.size() <= longest ? text : "..." + text.substr(text.size() - longest + 3);
}

std::string marker(const Style& style, double x, double y) {
  constexpr double r = 4;
  switch (style.marker) {
    case 0:
      return fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='{}' fill='{}'/>\n", x, y, r,
                         style.colour);
    case 1:
      return fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{}' height='{}' fill='{}'/>\n", x - r,
                         y - r, 2 * r, 2 * r, style.colour);
    case 2:
      return fmt::format("<path d='M{:.1f} {:.1f}l5 9h-10z' fill='{}'/>\n", x, y - 6, style.colour);
    default:
      return fmt::format("<path d='M{:.1f} {:.1f}l5.5 5.5l-5.5 5.5l-5.5 -5.5z' fill='{}'/>\n", x,
                         y - 5.5, style.colour);
  }
}

std::string stroke(const Style& style) {
  return fmt::format("fill='none' stroke='{}' stroke-width='2'{}", style.colour,
                     style.dash.empty() ? "" : fmt::format(" stroke-dasharray='{}'", style.dash));
}

struct Axes {
  LogAxis x;
  LogAxis y;

  [[nodiscard]] double px(double bytes) const { return left + (right - left) * x.position(bytes); }
  [[nodiscard]] double py(double us) const { return bottom - (bottom - top) * y.position(us); }
};

Axes make_axes(std::span<const Series> series) {
  Series::Point low{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  Series::Point high{0, 0};
  for (const Series& line : series) {
    for (const Series::Point& point : line.points) {
      low = {std::min(low.bytes, point.bytes), std::min(low.us, point.us)};
      high = {std::max(high.bytes, point.bytes), std::max(high.us, point.us)};
    }
  }
  if (high.bytes <= 0) {
    throw Error(ErrorCode::InvalidArgument, "there is nothing to plot: no row has a size above 0");
  }
  constexpr int most_labels = 11;
  return {bytes_axis(low.bytes, high.bytes, most_labels), time_axis(low.us, high.us)};
}

std::string draw_grid(const Axes& axes) {
  const auto colour = [](const Tick& tick) { return tick.label.empty() ? "#eeeeee" : "#d8d8d8"; };
  std::string svg;
  for (const Tick& tick : axes.x.ticks) {
    const double x = axes.px(tick.value);
    svg += fmt::format("<path d='M{:.1f} {}V{}' stroke='{}'/>\n", x, top, bottom, colour(tick));
    if (tick.label.empty()) continue;
    svg += fmt::format("<path d='M{:.1f} {}v6' stroke='#333'/>\n", x, bottom);
    svg += fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{}</text>\n", x, bottom + 22,
                       tick.label);
  }
  for (const Tick& tick : axes.y.ticks) {
    const double y = axes.py(tick.value);
    svg += fmt::format("<path d='M{} {:.1f}H{}' stroke='{}'/>\n", left, y, right, colour(tick));
    if (tick.label.empty()) continue;
    svg += fmt::format("<path d='M{} {:.1f}h-6' stroke='#333'/>\n", left, y);
    svg += fmt::format("<text x='{}' y='{:.1f}' text-anchor='end'>{}</text>\n", left - 11, y + 4.5,
                       tick.label);
  }
  return svg +
         fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#333'/>\n",
                     left, top, right - left, bottom - top);
}

std::string draw_titles(const std::string& title, const std::string& subtitle) {
  const double middle_y = (top + bottom) / 2;
  return fmt::format(
      "<text x='{0}' y='34' font-size='20' font-weight='bold'>{1}</text>\n"
      "<text x='{0}' y='58' fill='#555'>{2}</text>\n"
      "<text x='{3}' y='{4}' text-anchor='middle' font-size='15'>size (bytes)</text>\n"
      "<text x='26' y='{5}' text-anchor='middle' font-size='15' "
      "transform='rotate(-90 26 {5})'>time (µs)</text>\n",
      left, escape(shorten(title)), escape(shorten(subtitle)), (left + right) / 2, bottom + 52,
      middle_y);
}

std::string draw_line(const Axes& axes, const Series& line, const Style& style) {
  std::string points;
  std::string markers;
  for (const Series::Point& point : line.points) {
    const double x = axes.px(point.bytes);
    const double y = axes.py(point.us);
    points += fmt::format("{:.1f},{:.1f} ", x, y);
    markers += marker(style, x, y);
  }
  return fmt::format("<polyline points='{}' {}/>\n", points, stroke(style)) + markers;
}

// Columns that are wide enough for the longest label.
std::size_t legend_columns(std::span<const Series> series) {
  std::size_t longest = 1;
  for (const Series& line : series) longest = std::max(longest, line.label.size());
  const double needed = legend_line + 34 + letter_width * static_cast<double>(longest);
  const auto fitting = static_cast<std::size_t>((right - left) / needed);
  return std::clamp<std::size_t>(fitting, 1, std::min<std::size_t>(3, series.size()));
}

std::string draw_legend(std::span<const Series> series, std::size_t columns) {
  std::string svg;
  const double column_width = (right - left) / static_cast<double>(columns);
  for (std::size_t i = 0; i < series.size(); ++i) {
    const Style style = style_of(series[i], i);
    const double x = left + column_width * static_cast<double>(i % columns);
    const std::size_t row = i / columns;
    const double y = legend_top + legend_step * static_cast<double>(row);
    svg += fmt::format("<path d='M{:.1f} {:.1f}h{}' {}/>\n", x, y, legend_line, stroke(style));
    svg += marker(style, x + legend_line / 2, y);
    svg += fmt::format("<text x='{:.1f}' y='{:.1f}'>{}</text>\n", x + legend_line + 10, y + 4.5,
                       escape(shorten(series[i].label)));
  }
  return svg;
}

}  // namespace

std::string plot_svg(const std::string& title, const std::string& subtitle,
                     std::span<const Series> series) {
  const Axes axes = make_axes(series);
  const std::size_t columns = legend_columns(series);
  const std::size_t legend_rows = (series.size() + columns - 1) / columns;
  const double height = legend_top + legend_step * static_cast<double>(legend_rows);
  std::string svg = fmt::format(
      "<?xml version='1.0' encoding='UTF-8'?>\n"
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
      "font-family='Helvetica, Arial, DejaVu Sans, sans-serif' font-size='13' fill='#222'>\n"
      "<rect width='100%' height='100%' fill='white'/>\n",
      width, height);
  svg += draw_titles(title, subtitle) + draw_grid(axes);
  for (std::size_t i = 0; i < series.size(); ++i)
    svg += draw_line(axes, series[i], style_of(series[i], i));
  return svg + draw_legend(series, columns) + "</svg>\n";
}

}  // namespace roce::perf

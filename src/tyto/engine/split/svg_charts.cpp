// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/split/svg_charts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace tyto {

namespace {

constexpr double kWidth = 760, kLeft = 64, kRight = 8, kTop = 10;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kBarsHeight = 150, kPointsHeight = 260, kUnder = 36;
constexpr double kRoomForLabel = 14;  // units that a number under an axis takes

std::string opened(double height, std::string_view what) {
  return fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n", kWidth,
                     kTop + height + kUnder, html_text(what));
}

void add_text(std::string& out, double x, double y, std::string_view anchor,
              std::string_view text) {
  fmt::format_to(std::back_inserter(out),
                 "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                 html_text(text));
}

void add_rule(std::string& out, double x1, double y1, double x2, double y2,
              std::string_view kind = "rule") {
  fmt::format_to(std::back_inserter(out),
                 "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                 kind, x1, y1, x2, y2);
}

// 1, 2 or 5 times a power of ten, so that at most five steps reach `top`.
Index tick_step(Index top) {
  for (Index power = 1;; power *= 10) {
    for (const Index factor : {1, 2, 5}) {
      if (factor * power * 5 >= top) {
        return factor * power;
      }
    }
  }
}

void add_bar(std::string& out, double x, double width, double y, double height,
             std::string_view kind) {
  if (height > 0) {
    fmt::format_to(std::back_inserter(out),
                   "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.2f}\" width=\"{:.1f}\" "
                   "height=\"{:.2f}\"/>\n",
                   kind, x, y, width, height);
  }
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string grouped_digits(Index number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3) {
    digits.insert(i - 3, ",");
  }
  return digits;
}

std::string stacked_bars(const std::vector<StackedBar>& bars, std::string_view what) {
  Index top = 1;
  for (const StackedBar& bar : bars) {
    top = std::max(top, bar.known + bar.novel);
  }
  const Index step = tick_step(top);
  const Index highest = (top + step - 1) / step * step;
  const double base = kTop + kBarsHeight;
  const auto height = [&](Index value) {
    return kBarsHeight * static_cast<double>(value) / static_cast<double>(highest);
  };
  std::string out = opened(kBarsHeight, what);
  for (Index tick = 0; tick <= highest; tick += step) {
    add_rule(out, kLeft, base - height(tick), kWidth - kRight, base - height(tick));
    add_text(out, kLeft - 6, base - height(tick) + 4, "end", grouped_digits(tick));
  }
  const double slot = kPlotWidth / static_cast<double>(std::max<std::size_t>(1, bars.size()));
  const double width = std::max(1.0, slot * 0.7);
  const auto every = static_cast<std::size_t>(std::ceil(kRoomForLabel * 1.6 / slot));
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const StackedBar& bar = bars[i];
    const double middle = kLeft + slot * (static_cast<double>(i) + 0.5);
    fmt::format_to(
        std::back_inserter(out), "<g><title>{}</title>\n",
        html_text(fmt::format("increment {} ({}): {} {}, {} known and {} novel", bar.label,
                              bar.group, grouped_digits(bar.known + bar.novel), what,
                              grouped_digits(bar.known), grouped_digits(bar.novel))));
    add_bar(out, middle - width / 2, width, base - height(bar.known), height(bar.known), "known");
    const double above = base - height(bar.known) - height(bar.novel);
    add_bar(out, middle - width / 2, width, above, height(bar.novel), "novel");
    add_bar(out, middle - width / 2, width, above, height(bar.novel), "hatched");
    out += "</g>\n";
    if (i % every == 0) {
      add_text(out, middle, base + 14, "middle", bar.label);
    }
    if (i == 0 || bars[i - 1].group != bar.group) {
      add_text(out, kLeft + slot * static_cast<double>(i) + 2, base + 30, "start", bar.group);
      add_rule(out, kLeft + slot * static_cast<double>(i), base,
               kLeft + slot * static_cast<double>(i), base + 32, "mark");
    }
  }
  add_rule(out, kLeft, base, kWidth - kRight, base, "mark");
  return out + "</svg>\n";
}

std::string grouped_points(const std::vector<GroupedPoint>& points, std::string_view what) {
  Index least = 1;
  Index most = 10;
  for (std::size_t i = 0; i < points.size(); ++i) {
    least = i == 0 ? points[i].value : std::min(least, points[i].value);
    most = std::max(most, points[i].value);
  }
  Index low = 1;
  while (low * 10 <= least) {
    low *= 10;
  }
  Index high = low * 10;
  for (Index power = high; high < most; power *= 10) {
    for (const Index factor : {2, 5, 10}) {
      high = high < most ? factor * power : high;
    }
  }
  const double base = kTop + kPointsHeight;
  const double span = std::log10(static_cast<double>(high) / static_cast<double>(low));
  const auto y_of = [&](Index value) {
    return base -
           kPointsHeight * std::log10(static_cast<double>(value) / static_cast<double>(low)) / span;
  };
  std::string out = opened(kPointsHeight, what);
  for (Index power = low; power <= high; power *= 10) {
    for (const Index factor : {1, 2, 5}) {
      if (const Index tick = factor * power; tick <= high && (factor == 1 || span <= 3)) {
        add_rule(out, kLeft, y_of(tick), kWidth - kRight, y_of(tick));
        add_text(out, kLeft - 6, y_of(tick) + 4, "end", grouped_digits(tick));
      }
    }
  }
  const double slot = kPlotWidth / static_cast<double>(std::max<std::size_t>(1, points.size()));
  double free = kLeft;  // from here a label fits
  for (std::size_t i = 0; i < points.size(); ++i) {
    const GroupedPoint& point = points[i];
    const double left = kLeft + slot * static_cast<double>(i);
    if (i == 0 || points[i - 1].group != point.group) {
      add_rule(out, left, kTop, left, base + 4, "mark");
      if (left >= free) {
        add_text(out, left + 2, base + 15, "start", point.group);
        free = left + 4 + 7 * static_cast<double>(point.group.size());
      }
    }
    const std::string said = html_text(fmt::format("{}: {} {}, first at increment {}", point.name,
                                                   grouped_digits(point.value), what, point.group));
    const double x = left + slot / 2;
    const double y = y_of(point.value);
    if (point.is_novel) {
      fmt::format_to(std::back_inserter(out),
                     "<path class=\"novel\" d=\"M{:.1f} {:.1f}l3 3l-3 3l-3-3z\"><title>{}</title>"
                     "</path>\n",
                     x, y - 3, said);
    } else {
      fmt::format_to(std::back_inserter(out),
                     "<circle class=\"known\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\"><title>{}"
                     "</title></circle>\n",
                     x, y, said);
    }
  }
  add_rule(out, kLeft, base, kWidth - kRight, base, "mark");
  return out + "</svg>\n";
}

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
// Two charts as SVG text: stacked bars and points in groups. Colours are the classes `known` and
// `novel` of the page around them; novel has a second sign, hatching or a diamond.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct StackedBar {
  std::string label;  // under the bar
  std::string group;  // under the label, where it changes: the release
  Index known = 0, novel = 0;
};

// `what` is counted: "train samples". An empty chart where all is 0.
std::string stacked_bars(const std::vector<StackedBar>& bars, std::string_view what);

struct GroupedPoint {
  std::string name;
  std::string group;  // points of one group stand together
  Index value = 0;    // at least 1
  bool is_novel = false;
};

// Points from left to right, values on a logarithmic scale, a rule between groups.
std::string grouped_points(const std::vector<GroupedPoint>& points, std::string_view what);

std::string html_text(std::string_view text);  // escaped
std::string grouped_digits(Index number);      // 213,486

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
// Numbers as the paragraphs of a summary tell them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/report/page/ranged.hpp"

namespace tyto {

std::string grouped(Index number);                          // "12,345"
std::string counted(Index number, std::string_view thing);  // "1 class", "3 classes"
std::string percent(const RangedValue& value);              // "74 % [72, 76]"
std::string plain(const RangedValue& value);                // "0.93 [0.92, 0.94]"

// " Shares are means over 3 seeds, counts those of seed 1." of an arm that ran several times.
std::string repeated_text(const PageSource& source, const PageArm& arm);

// The headline number of that name; missing where there is none.
RangedValue number_called(const std::vector<HeadlineNumber>& headline, std::string_view name);

}  // namespace tyto

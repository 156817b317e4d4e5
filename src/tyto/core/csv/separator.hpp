// SPDX-License-Identifier: Apache-2.0
// Tables whose cells are parted by semicolons or tabs, as spreadsheets write them, perhaps with a
// comma in their decimal numbers.
#pragma once

#include <string>
#include <string_view>

namespace tyto {

// By the first line of a text: a comma where it has one outside quotes, else the commoner of
// semicolon and tab, else a comma.
char separator_of(std::string_view text);

// "1,5", "-0,25e3": a number but for its decimal comma.
bool has_decimal_comma(std::string_view cell);

// The same table with commas between cells and points in numbers; lines stay where they are.
std::string with_commas(std::string text);

}  // namespace tyto

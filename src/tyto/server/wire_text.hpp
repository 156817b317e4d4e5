// SPDX-License-Identifier: Apache-2.0
// Small change of HTTP: percent signs, lists of parameters, words whose capitals do not count.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tyto {

// "a%20b+c" as "a b c"; what is no sequence of two digits stays as it is.
std::string percent_decoded(std::string_view text);

// "a=1&b=&c" in order, names and values decoded.
std::vector<std::pair<std::string, std::string>> parameters_of(std::string_view text);

std::string_view without_blanks(std::string_view text);  // around it

bool equal_letters(std::string_view a, std::string_view b);  // capitals aside

// Pieces between bars; of "" one empty piece.
std::vector<std::string> split_at_bars(std::string_view text);

}  // namespace tyto

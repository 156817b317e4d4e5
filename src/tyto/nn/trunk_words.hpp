// SPDX-License-Identifier: Apache-2.0
// What settings call the ways a trunk is taught and its pictures are varied.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "tyto/nn/network.hpp"
#include "tyto/nn/picture_rows.hpp"

namespace tyto {

constexpr std::array<std::string_view, 3> kTaughtWords{"whole", "last", "frozen"};  // of Taught
constexpr std::array<std::string_view, 3> kAugmentWords{"none", "flip",
                                                        "shift_flip"};  // of Augment

// The value that one of the words stands for; they come in the order of the enumeration.
template <class Enum, std::size_t N>
Enum named_value(std::string_view word, const std::array<std::string_view, N>& words) {
  return static_cast<Enum>(std::find(words.begin(), words.end(), word) - words.begin());
}

}  // namespace tyto

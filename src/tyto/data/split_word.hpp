// SPDX-License-Identifier: Apache-2.0
// What the lists of this world call their splits.
#pragma once

#include <string_view>

namespace tyto {

// "train", "validate" or "test"; "" for any other word.
constexpr std::string_view canonical_split(std::string_view word) {
  if (word == "val" || word == "valid" || word == "validation" || word == "validate") {
    return "validate";
  }
  return word == "train" || word == "test" ? word : "";
}

}  // namespace tyto

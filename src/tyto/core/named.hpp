// SPDX-License-Identifier: Apache-2.0
// Finding things by name, and the likeliest spelling where there is nothing of that name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/error.hpp"

namespace tyto {

// The word of `words` nearest to `typed`, or "" when none is near.
std::string nearest_word(std::string_view typed, std::span<const std::string> words);

// " (did you mean "slda"?)", or "" when no word is near.
std::string did_you_mean(std::string_view typed, std::span<const std::string> words);

// 'no preset is called "sldaa" (did you mean "slda"?); there are: ann, ncm, slda'
Error unknown_name(std::string_view kind, std::string_view typed,
                   std::span<const std::string> names);

// The one of `specs` (anything with a `name`) that is called so; throws unknown_name.
template <class Specs>
const auto& find_named(const Specs& specs, std::string_view kind, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& spec : specs) {
    if (spec.name == name) {
      return spec;
    }
    names.push_back(spec.name);
  }
  throw unknown_name(kind, name, names);
}

}  // namespace tyto

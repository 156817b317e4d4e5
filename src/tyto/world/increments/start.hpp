// SPDX-License-Identifier: Apache-2.0
// What a world within one dataset begins with: its start classes and a share of their rows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/config.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

// A plain whole number; none for anything else, a quoted one too.
std::optional<Index> whole_number(const ConfigNode& node);

// One word or a list of them, each once and among these (sorted). Throws Error(config) naming
// `place` and the likeliest spelling; `where` says in which place a word is missing.
std::vector<Index> named_places(const ConfigNode& wish, const std::string& place,
                                const std::vector<std::string>& names, std::string_view where);

struct StartOptions {
  ConfigNode classes;  // a number or names; none: half of the classes
  std::string choose = "random";
  double share = 0.5;
};

// Of the classes in train, numbered by sorted name, with their counts: ascending, or in the order
// named. Throws Error(config) for fewer than two, more than there are, or a name train lacks.
// `path` is the dotted name of the world's options.
std::vector<Index> choose_start(const StartOptions& options, const std::string& path,
                                const std::vector<std::string>& names,
                                const std::map<Index, Index>& counts, Rng rng);

// True for rows of the start classes left for later increments: 1 - share, classes balanced, groups
// (where given) whole. With `each_class`, none is left out of the start: a class that groups would
// take away keeps the smallest of its groups, ties by first appearance.
std::vector<bool> draw_later(Rows classes, Rows groups, double share, bool each_class, Rng rng);

}  // namespace tyto

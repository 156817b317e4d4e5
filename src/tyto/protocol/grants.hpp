// SPDX-License-Identifier: Apache-2.0
// The labels a predictor was granted so far: since an increment or a test began.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tyto/core/state.hpp"

namespace tyto {

struct Grants {
  std::vector<std::string> classes;  // each once, by name
  Index labels = 0;

  void add(const std::vector<std::string>& names) {
    std::set<std::string> all(classes.begin(), classes.end());
    all.insert(names.begin(), names.end());
    classes.assign(all.begin(), all.end());
    labels += std::ssize(names);
  }

  void save(State& state) const {
    state.set("granted", classes);
    state.set("labels_granted", std::int64_t{labels});
  }

  static Grants loaded(const State& state) {
    return {state.get<std::vector<std::string>>("granted"),
            static_cast<Index>(state.get<std::int64_t>("labels_granted"))};
  }
};

}  // namespace tyto

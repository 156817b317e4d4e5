// SPDX-License-Identifier: Apache-2.0
// KOWL-718 as it ships, for tests of what its file says.
#pragma once

#include "support/places.hpp"

#include "tyto/data/releases/split_plan.hpp"

namespace tyto::testing_support {

constexpr std::size_t kK400 = 0, kK600 = 1, kK700 = 2;  // its releases
constexpr std::size_t kListedTrain = 0, kListedValidate = 1, kListedTest = 2;

inline SplitPlan kowl_plan() {
  const std::filesystem::path file = in_tree("/datasets/splits/kowl718.yaml");
  return read_split_plan(load_yaml(file), file.parent_path());
}

}  // namespace tyto::testing_support

// SPDX-License-Identifier: Apache-2.0
// What scikit-learn and SciPy say of some examples (tests/golden/make_measures.py).
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/places.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/measure/formulas/confusion.hpp"

namespace tyto {

inline nlohmann::json golden_measures() {
  std::ifstream file(testing_support::in_tree("/tests/golden/measures.json"));
  if (!file) {
    throw std::runtime_error("tests/golden/measures.json is part of the sources");
  }
  return nlohmann::json::parse(file);
}

// check(matrix, example) for each example of actual and predicted classes.
template <class Check>
void for_each_golden_matrix(const Check& check) {
  const auto golden = golden_measures();
  ASSERT_GT(golden["matrices"].size(), 5U);
  for (const auto& example : golden["matrices"]) {
    SCOPED_TRACE(example["name"].get<std::string>());
    using Names = std::vector<std::string>;
    check(Confusion::from(example["actual"].get<Names>(), example["predicted"].get<Names>()),
          example);
  }
}

}  // namespace tyto

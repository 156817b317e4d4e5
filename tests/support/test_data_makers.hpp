// SPDX-License-Identifier: Apache-2.0
// Small datasets whose classes lie where a test says, for whoever makes tests of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/data/dataset.hpp"
#include "tyto/world/rounds/make_tests.hpp"

namespace tyto::testing_support {

struct LineDataset {
  std::vector<double> place;  // of each class "c00", "c01", ... on the first axis
  Index per_class = 40;
  Index subjects = 0;      // groups "s0", "s1", ... in turn; 0: no column
  std::string split = {};  // "": no column; "halves": train and test in turn
  Index width = 3;
  std::uint64_t seed = 1;

  [[nodiscard]] Dataset make() const {
    Rng rng(seed, "line");
    Dataset dataset;
    dataset.name = "line";
    const Index n = static_cast<Index>(place.size()) * per_class;
    Matrix features(n, width);
    for (Index i = 0; i < n; ++i) {
      const Index c = i / per_class;
      const Index k = i % per_class;
      dataset.table.id.push_back("c" + std::to_string(c) + "-" + std::to_string(k));
      dataset.table.label.push_back(c < 10 ? "c0" + std::to_string(c) : "c" + std::to_string(c));
      if (subjects > 0) {
        dataset.table.group.push_back("s" + std::to_string(k % subjects));
      }
      if (split == "halves") {
        dataset.table.split.emplace_back(k % 2 == 0 ? "train" : k % 4 == 1 ? "test" : "validate");
      }
      for (Index j = 0; j < width; ++j) {
        const double centre = j == 0 ? place[at(c)] : 0.0;
        features(i, j) = static_cast<float>(centre + 0.1 * rng.normal());
      }
    }
    dataset.store = std::make_shared<DenseStore>(std::move(features));
    return dataset;
  }
};

inline std::vector<double> evenly(Index n) {
  std::vector<double> places;
  for (Index i = 0; i < n; ++i) {
    places.push_back(static_cast<double>(i));
  }
  return places;
}

inline MakeTestsOptions small_options() {
  MakeTestsOptions options;
  options.tests = 2;
  options.length = 40;
  options.before = 16;
  options.round_size = 8;
  return options;
}

template <class Call>
std::string problem_of(const Call& call, ErrorKind kind) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "no error";
}

}  // namespace tyto::testing_support

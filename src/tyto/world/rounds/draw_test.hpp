// SPDX-License-Identifier: Apache-2.0
// The draw of one test: which samples it shows in which order, and what is new in it.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/random.hpp"
#include "tyto/world/rounds/make_tests.hpp"
#include "tyto/world/rounds/test_material.hpp"

namespace tyto {

struct TestKind {
  Index group = 0, run = 0;         // from 1
  std::string novelty, difficulty;  // as asked for
};

struct TestPlan {
  TestKind kind;
  std::string change;                   // what makes a sample novel: "class", or the alteration
  Index red_light = 0;                  // the first place after the change
  std::vector<Index> novel_classes;     // in the order in which they may appear first
  std::vector<Index> row;               // of the table, by place; none twice
  std::vector<bool> novel;              // by place
  std::vector<std::string> difficulty;  // of a novel sample; "" of the others

  [[nodiscard]] Index size() const { return static_cast<Index>(row.size()); }
};

// Throws Error(data) with the numbers where there are too few samples.
TestPlan draw_test(const TestMaterial& material, const MakeTestsOptions& options, TestKind kind,
                   const Rng& rng);

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
// What the tests of a dataset are made of: which classes are known, which rows may be learned from,
// which may be shown, and how far from the known classes the others lie.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/random.hpp"
#include "tyto/world/rounds/class_map.hpp"
#include "tyto/world/rounds/make_tests.hpp"

namespace tyto {

struct TestMaterial {
  ClassMap map;
  std::vector<Index> known;               // classes, by name; the place is the number
  std::vector<Index> unknown;             // classes with samples to show, the farthest first
  std::vector<Index> train;               // rows of known classes, ascending
  std::vector<std::vector<Index>> shown;  // rows that may stand in a test, by class

  // The number of a known class; of every other, how many are known.
  [[nodiscard]] Index number_of(Index c) const;
  // Of the unknown classes the third that is as hard as that, or all ("mixed"). Fewer than three
  // classes are not divided.
  [[nodiscard]] std::vector<Index> as_hard_as(std::string_view difficulty) const;
  // "easy", "medium" or "hard"; "mixed" where they are not divided.
  [[nodiscard]] std::string difficulty_of(Index unknown_class) const;
};

TestMaterial gather_material(const Dataset& dataset, const MakeTestsOptions& options,
                             const Rng& rng);

}  // namespace tyto

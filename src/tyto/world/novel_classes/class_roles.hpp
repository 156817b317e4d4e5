// SPDX-License-Identifier: Apache-2.0
// Which classes are normal, which are novel where detectors are chosen, which where they are
// judged; and, from that, which row trains, validates and tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/config.hpp"
#include "tyto/core/options.hpp"
#include "tyto/core/random.hpp"
#include "tyto/data/dataset.hpp"
#include "tyto/world/increments/splits.hpp"
#include "tyto/world/increments/spread.hpp"

namespace tyto {

struct NovelClassOptions {
  // A number of classes, or their names.
  ConfigNode normal, novel_validate, novel_test;
  double labelled = 1;
  std::string groups = "keep";
  SplitOptions split{.test = 0.3, .validate = 0.2};
  std::string path = "world";  // dotted name of these options, for messages

  void describe(OptionVisitor& visitor);
};

enum class ClassRole : std::uint8_t { normal, novel_validate, novel_test, unused };

struct NovelClassRows {
  std::vector<std::string> names;  // of all classes, sorted
  std::vector<ClassRole> role;     // by class
  std::vector<Index> class_of;     // by table row; -1: no label
  SplitRows rows;                  // ascending
  Index unlabelled = 0, in_no_split = 0;
  Index novel_elsewhere = 0;  // rows of novel classes whose group or split forbids their role
  bool by_splits = false;     // roles follow from the data's own splits
};

// Where no role is named and the data's own splits have classes that train lacks, these are novel
// where they stand (of both: in validate alone). Else classes are drawn: half of them normal, the
// rest in halves. Rows of normal classes keep their own split or are drawn; novel ones count whole,
// unless a split column or groups say where they belong. Throws Error(config) for roles that cannot
// be, Error(data) where nothing is left to train on or to test.
NovelClassRows deal_roles(const Dataset& data, const NovelClassOptions& options, const Rng& rng);

}  // namespace tyto

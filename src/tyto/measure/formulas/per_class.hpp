// SPDX-License-Identifier: Apache-2.0
// How each class fared: how many of its samples got its name, and whose name the others got.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tyto/measure/phase_series.hpp"
#include "tyto/measure/tables/long_table.hpp"
#include "tyto/measure/tables/render.hpp"

namespace tyto {

struct ClassRow {
  Index step = 0;  // kAllSteps: over all increments
  std::string phase, split, novel_to, group;
  std::string name;
  std::string known;                            // "yes", "no"; "both": it became known on the way
  Index support = 0, predicted = 0, right = 0;  // samples of the class, called it, and both
  std::optional<double> precision;              // right / predicted; missing if never predicted
  std::optional<double> recall;                 // right / support; missing if without samples
  std::optional<double> f1;                     // 2 right / (support + predicted)
  std::optional<double> called_novel;           // share of its samples that were called novel
  std::string
      confused_with;   // the wrong name its samples got most often; ties to the first by name
  Index confused = 0;  // how often
  // Where the predictor had learned it and was tested after learning: the measure `forgetting`.
  std::optional<double> forgotten;
};

// In the raw view, so that a class that is new has a row of its own. By increment and, last, over
// all; classes that occur or are predicted, by name.
std::vector<ClassRow> per_class(const PhaseSeries& series);

struct ArmClasses {
  Leading leading;
  std::vector<ClassRow> rows;
};

LongTable long_table(std::span<const ArmClasses> arms, MoreColumns more = {});

}  // namespace tyto

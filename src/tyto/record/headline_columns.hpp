// SPDX-License-Identifier: Apache-2.0
// Which numbers of a run stand in its final table. A protocol says so; measures find the values.
#pragma once

#include <string>

namespace tyto {

// The row over all increments with this phase, split, view and measure. Whether higher is better
// is the measure's to say.
struct HeadlineColumn {
  std::string name;     // "known_accuracy_before"
  std::string title;    // of the column: "known right"
  std::string meaning;  // plain words, for the legend
  std::string phase, view, measure;
  std::string split = "test";
};

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
// The few numbers of one arm that stand in the final table, each with a sentence for its legend.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/measure/table.hpp"

namespace tyto {

struct HeadlineNumber {
  std::string name;     // "known_accuracy_before"
  std::string title;    // of the column: "known right"
  std::string meaning;  // plain words, for the legend
  Better better = Better::higher;
  std::string phase, view, measure;  // the row over all increments it is taken from
  std::optional<double> value;       // missing if the run has no such row or no value in it
  std::optional<double> deviation = std::nullopt;                 // over several seeds
  std::optional<double> low = std::nullopt, high = std::nullopt;  // where the row has an interval
  std::string split = "test";
};

// Without values: what the table of a run of this protocol will show.
std::vector<HeadlineNumber> headline_legend(std::string_view protocol = "owl");

// Rows of one arm, as measure_run made them; `novel_to` picks the reference.
std::vector<HeadlineNumber> headline(std::span<const MeasureRow> rows,
                                     std::string_view protocol = "owl",
                                     NovelTo novel_to = NovelTo::predictor);

}  // namespace tyto

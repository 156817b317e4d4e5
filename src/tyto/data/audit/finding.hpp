// SPDX-License-Identifier: Apache-2.0
// Something in a dataset that a reader of its numbers should know.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/data/dataset.hpp"

namespace tyto {

struct Finding {
  enum class Weight { note, problem };

  Weight weight;
  std::string rule;                   // one word for the kind: "repeated_rows"
  std::string text;                   // one sentence with the counts
  std::vector<std::string> examples;  // samples, columns or names; as many as were asked for
};

std::string_view to_word(Finding::Weight weight);

// Problems first, otherwise in the order they were found.
void sort_findings(std::vector<Finding>& findings);

// `"w3" (line 4)`; the line where the dataset was read from a file.
std::string sample_name(const Dataset& dataset, Index sample);

std::string split_of(const IndexTable& table, Index sample);  // "" where there are no splits

// "1 row is", "3 rows are"
std::string plural(Index count, std::string_view one, std::string_view many);

// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& names);

}  // namespace tyto

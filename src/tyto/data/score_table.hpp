// SPDX-License-Identifier: Apache-2.0
// Tables of scores, features and labels from whatever model, in double.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct ScoreTable {
  std::string name;
  std::vector<std::string> columns;  // empty where the file does not name them
  Dense<double> values;
  bool probabilities = false;  // they were, and are logarithms now
};

// Numbers from a .csv (.gz too, with or without names of columns; "-inf" is a number) or .npy file.
// Throws Error(data) naming the line and column of a cell that is none.
ScoreTable read_numbers(const std::string& path);

// Class scores: "logits", "probabilities", or "auto", which takes rows of numbers in [0, 1] that
// each add up to 1, not all of them 0 and 1, for probabilities. Their logarithms are their logits.
ScoreTable read_scores(const std::string& path, std::string_view kind);

// What stands on each line that is not blank, without quotes, after the number of the line (from
// 1).
std::vector<std::pair<Index, std::string>> read_words(const std::string& path);

// A column of `scores` per line: its name or its number from 0. A first line that is neither is a
// heading. Throws Error(data) naming the line of a label that is no column.
std::vector<Index> read_labels(const std::string& path, const ScoreTable& scores);

// The same, one for every row of `scores`.
std::vector<Index> read_truth(const std::string& path, const ScoreTable& scores);

// Numbers read back to the same double.
std::string numbers_csv(const Dense<double>& values, const std::vector<std::string>& columns);

}  // namespace tyto

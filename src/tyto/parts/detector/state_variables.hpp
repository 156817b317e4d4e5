// SPDX-License-Identifier: Apache-2.0
// The columns of a symbolic state as variables: numbers, and words that are one column per value.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct StateVariables {
  Index width = 0;                        // columns of a state
  std::vector<Index> numbers;             // a column each
  std::vector<std::vector<Index>> words;  // the columns of each
  std::vector<std::string> names;         // of the numbers, then of the words

  [[nodiscard]] Index count() const { return std::ssize(numbers) + std::ssize(words); }
};

// Columns called front=log and front=planks are values of the word front. Without names the last
// columns are words of these widths. A word of one value is a number. Throws Error(config) where
// the widths are more than there is.
StateVariables state_variables(Index width, const std::vector<std::string>& columns,
                               std::span<const double> word_widths);

// A row per row, a column per variable: of a number the squared error; of a word the cross-entropy,
// `outputs` holding logits and `told` one 1. A word without any is as unlikely as the least likely
// of its values.
Matrix variable_losses(const StateVariables& variables, const Matrix& outputs, const Matrix& told);

}  // namespace tyto

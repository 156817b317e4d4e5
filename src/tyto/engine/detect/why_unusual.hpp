// SPDX-License-Identifier: Apache-2.0
// Which columns make a row unusual, for any detector: by how much its novelty falls when a column
// takes the value that rows like it have there.
#pragma once

#include <vector>

#include "tyto/engine/detect/training_rows.hpp"
#include "tyto/predictor/composition/composition.hpp"

namespace tyto {

using ColumnGroups = std::vector<std::vector<Index>>;  // changed together, none empty

struct UnusualColumn {  // or group of columns, with the mean of its values
  Index column = 0;
  float value = 0, usual = 0;
  double share = 0;  // of all falls of this row; they add up to 1
};

// By share, ties to the lower column; at most `most`, those without a fall left out. None where no
// column alone lowers the novelty.
//
// Rows like it: five of the training rows with the least sum over columns of the distance in
// deviations, of each column at most 3, so that one wild value does not choose them. Costs d more
// rows to score and O(n d) for each row explained.
std::vector<std::vector<UnusualColumn>> why_unusual(const Composition& predictor,
                                                    const TrainingRows& training,
                                                    const Matrix& rows, std::size_t most);
// The same of groups of columns, by their number.
std::vector<std::vector<UnusualColumn>> why_unusual(const Composition& predictor,
                                                    const TrainingRows& training,
                                                    const Matrix& rows, const ColumnGroups& groups,
                                                    std::size_t most);

}  // namespace tyto

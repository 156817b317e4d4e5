// SPDX-License-Identifier: Apache-2.0
// The rows that say what is normal, as many as can be compared with, and what stands for a value
// that is missing.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/random.hpp"
#include "tyto/engine/use/feature_input.hpp"

namespace tyto {

struct TrainingRows {
  Matrix rows;                       // a uniform draw where there were too many
  std::vector<std::string> columns;  // empty where the data have no names
  Index seen = 0;                    // in the file
  Eigen::RowVectorXf median;         // by column, of the values there are; 0 where there is none
  Index filled = 0;                  // values that were missing in `rows`, and are medians now

  // "x", or "column 3" where columns have no names.
  [[nodiscard]] std::string column_name(Index column) const;
};

// Values that are missing, where the input gives NaN for them, become the median of their column.
// Throws Error(data) for a name that two columns bear and for fewer than two rows.
TrainingRows read_training_rows(FeatureInput& input, const std::string& name, Index most,
                                const Rng& rng);

// Sets what is missing to these; how many there were.
Index fill_missing(Matrix& rows, const Eigen::RowVectorXf& median);

// One sample a row, numbered on from `first_id`, each a group of its own.
Samples samples_of(Matrix rows, const std::vector<std::string>& columns, std::uint32_t first_id,
                   Lifetime lifetime);

}  // namespace tyto

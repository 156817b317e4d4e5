// SPDX-License-Identifier: Apache-2.0
// How well any row fits groups that were found, where the method is a model of them: a quadratic
// form per group. Centres, Gaussians with diagonal covariances and linear heads are such forms.
#pragma once

#include "tyto/core/matrix.hpp"

namespace tyto {

struct GroupScores {
  Matrix shift;       // one row, taken from every row first
  Matrix projection;  // then rows are multiplied by it, d x h; empty: not
  bool unit = false;  // then they are scaled to length 1
  Matrix square;      // a row per group, for the squares of the columns; empty: not
  Matrix weight;      // a row per group
  Matrix bias;        // one row: an entry per group

  [[nodiscard]] Index groups() const { return weight.rows(); }

  // Log scores up to a term common to a row's groups; the greatest is the group of the row.
  [[nodiscard]] Matrix of(const MatrixView& rows) const;
};

// -|x - c|^2 / (2 s^2), with s^2 the variance per column; `centres` are about `shift`.
GroupScores scores_of_centres(Matrix shift, const Matrix& centres, double variance);

}  // namespace tyto

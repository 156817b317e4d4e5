// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/group_scores.hpp"

#include <algorithm>
#include <utility>

#include "tyto/math/unit_rows.hpp"

namespace tyto {

Matrix GroupScores::of(const MatrixView& rows) const {
  Matrix x = rows.rowwise() - shift.row(0);
  if (projection.size() > 0) {
    x = (x * projection).eval();
  }
  if (unit) {
    x = unit_rows(std::move(x));
  }
  Matrix out = x * weight.transpose();
  if (square.size() > 0) {
    out.noalias() += x.cwiseAbs2() * square.transpose();
  }
  out.rowwise() += bias.row(0);
  return out;
}

GroupScores scores_of_centres(Matrix shift, const Matrix& centres, double variance) {
  GroupScores out;
  out.shift = std::move(shift);
  const auto scale = static_cast<float>(1.0 / std::max(variance, 1e-30));
  out.weight = scale * centres;
  out.bias = -0.5F * scale * centres.rowwise().squaredNorm().transpose();
  return out;
}

}  // namespace tyto

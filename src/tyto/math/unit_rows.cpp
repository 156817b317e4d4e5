// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/unit_rows.hpp"

namespace tyto {

Matrix unit_rows(Matrix rows) {
  for (Index i = 0; i < rows.rows(); ++i) {
    // stableNorm: squares of large or tiny features leave the range of float.
    const float norm = rows.row(i).stableNorm();
    if (norm > 0.0F) {
      rows.row(i) /= norm;
    }
  }
  return rows;
}

}  // namespace tyto

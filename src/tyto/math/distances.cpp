// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/distances.hpp"

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/lanes.hpp"

namespace tyto {

namespace {

constexpr Index kLanes = 16;

}  // namespace

float squared_distance(const float* a, const float* b, Index width) {
  return sum_in_lanes<float, kLanes>(width, [=](Index j) {
    const float difference = a[j] - b[j];
    return difference * difference;
  });
}

Vector squared_norms(const MatrixView& rows) {
  Vector norms(rows.rows());
  for_each_index(rows.rows(), [&](Index i) {
    const float* row = rows.data() + i * rows.outerStride();
    norms[i] = sum_in_lanes<float, kLanes>(rows.cols(), [=](Index j) { return row[j] * row[j]; });
  });
  return norms;
}

Matrix squared_distances(const MatrixView& a, const MatrixView& b) {
  TYTO_ASSERT(a.cols() == b.cols());
  const Vector a_norms = squared_norms(a);
  const Vector b_norms = squared_norms(b);
  Matrix out(a.rows(), b.rows());
  if (out.size() == 0) {
    return out;
  }
  out.noalias() = a * b.transpose();
  for_each_index(out.rows(), [&](Index i) {
    out.row(i) = (a_norms[i] + b_norms.transpose().array() - 2.0F * out.row(i).array()).max(0.0F);
  });
  return out;
}

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/thin_spectrum.hpp"

#include <Eigen/QR>

#include "tyto/core/error.hpp"
#include "tyto/core/heed_interrupts.hpp"

namespace tyto {

namespace {

constexpr double kCarried = 1e-12;   // share of the greatest eigenvalue below which one is rounding
constexpr Index kProductRows = 512;  // of the matrix of products between two looks at interrupts

// Q of a QR decomposition, its first `count` columns, turned as eigen_symmetric turns its own.
Eigen::MatrixXd right_angled(const Eigen::MatrixXd& columns, Index count) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Identity(columns.rows(), count);
  const Eigen::HouseholderQR<Eigen::MatrixXd> parts(columns);
  heed_interrupts();
  out.applyOnTheLeft(parts.householderQ());
  for (Index j = 0; j < count; ++j) {
    Index largest = 0;
    out.col(j).cwiseAbs().maxCoeff(&largest);
    if (out(largest, j) < 0.0) {
      out.col(j) *= -1.0;
    }
  }
  return out;
}

}  // namespace

Spectrum thin_spectrum(const Dense<double>& rows, double weight) {
  TYTO_ASSERT(rows.rows() > 0 && rows.cols() > 0 && weight > 0.0);
  const Index n = rows.rows();
  Eigen::MatrixXd products(n, n);
  for (Index begin = 0; begin < n; begin += kProductRows) {  // the lower triangle in strips
    const Index count = std::min(kProductRows, n - begin);
    products.block(begin, 0, count, begin + count).noalias() =
        rows.middleRows(begin, count) * rows.topRows(begin + count).transpose();
    heed_interrupts();
  }
  Spectrum small = eigen_symmetric(std::move(products));
  heed_interrupts();
  const double least = kCarried * small.values[0];
  Index kept = 0;
  while (kept < std::min(n, rows.cols()) && small.values[kept] > std::max(least, 0.0)) {
    ++kept;
  }
  if (kept == 0) {
    return {Eigen::VectorXd::Zero(1), Eigen::MatrixXd::Identity(rows.cols(), 1)};
  }
  // Weak directions come out of the product at almost right angles; the decomposition mends it.
  const Eigen::MatrixXd raw = rows.transpose() * small.vectors.leftCols(kept);
  heed_interrupts();
  return {
      small.values.head(kept) / weight,
      right_angled(raw * small.values.head(kept).cwiseSqrt().cwiseInverse().asDiagonal(), kept)};
}

Eigen::MatrixXd with_more_directions(const Eigen::MatrixXd& columns, Index count) {
  TYTO_ASSERT(columns.cols() <= count && count <= columns.rows());
  Eigen::MatrixXd out(columns.rows(), count);
  out.leftCols(columns.cols()) = columns;
  if (count > columns.cols()) {
    out.rightCols(count - columns.cols()) =
        right_angled(columns, count).rightCols(count - columns.cols());
  }
  return out;
}

}  // namespace tyto

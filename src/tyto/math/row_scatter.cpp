// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/row_scatter.hpp"

#include "tyto/core/error.hpp"
#include "tyto/math/thin_spectrum.hpp"

namespace tyto {

void RowScatter::add(const MatrixView& rows) {
  if (rows.rows() == 0) {
    return;
  }
  TYTO_ASSERT(count() == 0 || rows.cols() == width());
  if (!is_thin()) {
    sums_.add(rows);
    return;
  }
  const Index before = rows_.rows();
  if (before + rows.rows() < rows.cols()) {
    rows_.conservativeResize(before + rows.rows(), rows.cols());
    rows_.bottomRows(rows.rows()) = rows;
    return;
  }
  if (before > 0) {
    sums_.add(rows_);
    rows_.resize(0, 0);
  }
  sums_.add(rows);
}

Eigen::RowVectorXd RowScatter::mean() const {
  TYTO_ASSERT(count() > 0);
  return is_thin() ? Eigen::RowVectorXd(rows_.cast<double>().colwise().mean())
                   : Eigen::RowVectorXd(sums_.means().row(0));
}

Spectrum RowScatter::spectrum() const {
  TYTO_ASSERT(count() > 0);
  if (!is_thin()) {
    return eigen_symmetric(sums_.covariance());
  }
  const Dense<double> off = rows_.cast<double>().rowwise() - mean();
  return thin_spectrum(off, static_cast<double>(std::max<Index>(1, count() - 1)));
}

Spectrum RowScatter::spectrum_about(const Eigen::RowVectorXd& origin) const {
  TYTO_ASSERT(count() > 0);
  const auto n = static_cast<double>(count());
  if (is_thin()) {
    const Dense<double> off = rows_.cast<double>().rowwise() - origin;
    return thin_spectrum(off, n);
  }
  const Eigen::RowVectorXd off = mean() - origin;
  Eigen::MatrixXd second = sums_.covariance() * ((n - 1.0) / n);
  second += off.transpose() * off;
  return eigen_symmetric(std::move(second));
}

void RowScatter::save(State& state) const {
  if (is_thin()) {
    state.set("rows", rows_);
  } else {
    sums_.save(state);
  }
}

void RowScatter::load(const State& state) {
  rows_.resize(0, 0);
  sums_ = ClassStatistics(Scatter::full);
  if (state.has("rows")) {
    rows_ = state.get<Matrix>("rows");
  } else {
    sums_.load(state);
  }
}

Eigen::VectorXd residual_lengths(const Dense<double>& rows, const Eigen::MatrixXd& kept) {
  const Dense<double> along = rows * kept;
  return (rows - along * kept.transpose()).rowwise().norm();
}

}  // namespace tyto

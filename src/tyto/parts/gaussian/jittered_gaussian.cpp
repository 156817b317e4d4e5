// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/gaussian/jittered_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/QR>

#include "tyto/math/eigen_symmetric.hpp"

namespace tyto {

JitteredGaussian::JitteredGaussian(const MatrixView& rows, double epsilon, Index fewest)
    : noise_(epsilon) {
  const Index n = rows.rows();
  const Index d = rows.cols();
  Dense<double> about = rows.cast<double>();
  mean_ = about.colwise().mean().transpose();
  axes_.resize(d, 0);
  if (n < std::max<Index>(fewest, 2)) {
    return;
  }
  about.rowwise() -= mean_.transpose();
  about /= std::sqrt(static_cast<double>(n - 1));
  Eigen::MatrixXd axes;
  Spectrum spectrum;
  if (n < d) {  // within the span of the rows: orthonormal whatever the eigenvalues
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(about.transpose());
    const Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(d, n);
    const Eigen::MatrixXd inner = q.transpose() * about.transpose();
    spectrum = eigen_symmetric(inner * inner.transpose());
    axes = q * spectrum.vectors;
  } else {
    spectrum = eigen_symmetric(about.transpose() * about);
    axes = spectrum.vectors;
  }
  const double least = static_cast<double>(std::max(n, d)) *
                       std::numeric_limits<double>::epsilon() * std::max(0.0, spectrum.values[0]);
  Index kept = 0;
  while (kept < spectrum.values.size() && spectrum.values[kept] > least) {
    ++kept;
  }
  axes_ = axes.leftCols(kept);
  variance_ = spectrum.values.head(kept);
  if (kept == d) {
    noise_ = 0.0;
  } else {
    variance_.array() += epsilon;
  }
}

Eigen::VectorXd JitteredGaussian::log_density(const Dense<double>& rows) const {
  const Index d = mean_.size();
  Dense<double> about = rows.rowwise() - mean_.transpose();
  Eigen::VectorXd far = Eigen::VectorXd::Zero(rows.rows());
  double log_determinant = variance_.array().log().sum();
  if (directions() > 0) {
    const Dense<double> along = about * axes_;
    far = (along.array().square().rowwise() / variance_.transpose().array()).rowwise().sum();
    if (noise_ > 0.0) {
      about.noalias() -= along * axes_.transpose();
    }
  }
  if (noise_ > 0.0) {
    far += about.rowwise().squaredNorm() / noise_;
    log_determinant += static_cast<double>(d - directions()) * std::log(noise_);
  }
  const double norm = static_cast<double>(d) * std::log(2.0 * std::numbers::pi) + log_determinant;
  return -0.5 * (far.array() + norm);
}

void JitteredGaussian::save(State& state) const {
  state.set("mean", Dense<double>(mean_));
  state.set("axes", Dense<double>(axes_));
  state.set("variance", Dense<double>(variance_));
  state.set("noise", double{noise_});
}

JitteredGaussian::JitteredGaussian(const State& state)
    : mean_(state.get<Dense<double>>("mean")),
      axes_(state.get<Dense<double>>("axes")),
      variance_(state.get<Dense<double>>("variance")),
      noise_(state.get<double>("noise")) {}

}  // namespace tyto

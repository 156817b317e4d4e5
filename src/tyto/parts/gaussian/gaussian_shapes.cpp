// SPDX-License-Identifier: Apache-2.0
// The shapes a Gaussian may have: their frames, densities and sums.
#include <cmath>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/math/covariance.hpp"
#include "tyto/math/eigen_symmetric.hpp"
#include "tyto/parts/gaussian/gaussian.hpp"

namespace tyto {

Frame Frame::whitening(const Eigen::VectorXd& centre, const Eigen::MatrixXd& covariance) {
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  if (factor.info() != Eigen::Success) {
    throw Error(ErrorKind::numeric,
                fmt::format("the shared covariance in {} columns cannot be inverted; raise the "
                            "shrinkage, or set it to 0 to have it chosen",
                            covariance.rows()));
  }
  return {centre,
          factor.matrixU().solve(Eigen::MatrixXd::Identity(covariance.rows(), covariance.cols()))};
}

Frame Frame::standardising(const Eigen::VectorXd& centre, const Eigen::VectorXd& variances) {
  return {centre, variances.cwiseSqrt().cwiseInverse()};
}

Eigen::VectorXd Frame::moved(const Eigen::VectorXd& x) const {
  const Eigen::VectorXd shifted = x - centre;
  return scale.cols() == 1 && scale.rows() > 1 ? Eigen::VectorXd(scale.cwiseProduct(shifted))
                                               : Eigen::VectorXd(scale.transpose() * shifted);
}

double Frame::log_volume() const {
  // A whitening scale is triangular.
  const Eigen::VectorXd factors = scale.cols() == 1 ? Eigen::VectorXd(scale) : scale.diagonal();
  return factors.array().abs().log().sum();
}

Gaussian shared_gaussian(const ScatterSketch& sketch, const Frame& frame) {
  const Eigen::VectorXd mean = frame.moved(sketch.mean());
  return {mean, Eigen::VectorXd::Ones(1), Eigen::MatrixXf(mean.size(), 0)};
}

Gaussian diagonal_gaussian(const ScatterSketch& sketch, const Frame& frame, double shrinkage) {
  constexpr double kPrior = 4.0;  // rows' worth of the shared variances
  TYTO_ASSERT(frame.scale.cols() == 1);
  const auto freedom = static_cast<double>(sketch.count() - 1);
  const double e = freedom == 0.0 ? 1.0 : shrinkage > 0.0 ? shrinkage : kPrior / (kPrior + freedom);
  const Eigen::ArrayXd variances =
      sketch.diagonal().array() * frame.scale.col(0).array().square() / std::max(1.0, freedom);
  return {frame.moved(sketch.mean()), (1.0 - e) * variances + e,
          Eigen::MatrixXf(variances.size(), 0)};
}

Gaussian own_gaussian(const ScatterSketch& sketch, const Frame& frame, double shrinkage) {
  const Index d = sketch.mean().size();
  Gaussian out = shared_gaussian(sketch, frame);
  if (sketch.count() == 1) {
    return out;
  }
  const auto width = static_cast<double>(d);
  const auto freedom = static_cast<double>(sketch.count() - 1);
  const bool by_column = frame.scale.cols() == 1;
  const Eigen::MatrixXd basis = sketch.basis().cast<double>();
  Eigen::MatrixXd spread = by_column ? Eigen::MatrixXd(basis * frame.scale.col(0).asDiagonal())
                                     : Eigen::MatrixXd(basis * frame.scale);
  spread /= std::sqrt(freedom);
  const double evenly = sketch.rest().dot(frame.scale.rowwise().squaredNorm()) / (freedom * width);
  const Spectrum spectrum = eigen_symmetric(spread * spread.transpose());
  const Eigen::VectorXd values = spectrum.values.cwiseMax(0.0);
  const double trace = values.sum() + width * evenly;
  const double squares =
      values.squaredNorm() + 2.0 * evenly * values.sum() + width * evenly * evenly;
  const double e = shrinkage > 0.0 ? shrinkage : oas_shrinkage(trace, squares, width, freedom);
  const double target = (freedom * trace / width + 1.0) / (freedom + 1.0);
  const double noise = (1.0 - e) * evenly + e * target;
  // Where S has all directions, the weakest is common to all of them: taken into the noise, the
  // difference of squares in scoring stays small.
  const double common = values.size() >= d ? (1.0 - e) * values[d - 1] : 0.0;
  out.noise[0] = noise + common;
  Index kept = 0;
  while (kept < values.size() && (1.0 - e) * values[kept] - common > 1e-6 * out.noise[0]) {
    ++kept;
  }
  out.factor.resize(d, kept);
  for (Index j = 0; j < kept; ++j) {
    const double length = std::sqrt(((1.0 - e) * values[j] - common) / values[j]);
    out.factor.col(j) = (spread.transpose() * spectrum.vectors.col(j) * length).cast<float>();
  }
  return out;
}

}  // namespace tyto

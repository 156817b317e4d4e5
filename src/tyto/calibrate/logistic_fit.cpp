// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibrate/logistic_fit.hpp"

#include <cmath>

#include <Eigen/Cholesky>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr double kRidge = 1e-9;
constexpr int kRounds = 200;

double log_one_plus_exp(double x) {
  return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

struct Expansion {  // to the second order
  double value = 0;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd curvature;
};

Expansion expand(const Eigen::MatrixXd& rows, std::span<const double> targets,
                 const Eigen::VectorXd& weight) {
  const auto n = static_cast<double>(rows.rows());
  Expansion out{0.0, Eigen::VectorXd::Zero(rows.cols()),
                Eigen::MatrixXd::Zero(rows.cols(), rows.cols())};
  for (Index i = 0; i < rows.rows(); ++i) {
    const double score = rows.row(i).dot(weight);
    const double target = targets[static_cast<std::size_t>(i)];
    const double p = 1.0 / (1.0 + std::exp(-score));
    out.value += (log_one_plus_exp(score) - target * score) / n;
    out.gradient += (p - target) / n * rows.row(i).transpose();
    out.curvature += p * (1.0 - p) / n * rows.row(i).transpose() * rows.row(i);
  }
  out.value += 0.5 * kRidge * weight.squaredNorm();
  out.gradient += kRidge * weight;
  out.curvature.diagonal().array() += kRidge;
  return out;
}

}  // namespace

LogisticFit fit_logistic(const Dense<double>& inputs, std::span<const double> targets) {
  TYTO_ASSERT(inputs.rows() == std::ssize(targets) && inputs.rows() > 0);
  const Index d = inputs.cols();
  const Eigen::RowVectorXd mean = inputs.colwise().mean();
  Eigen::RowVectorXd spread = (inputs.rowwise() - mean).cwiseAbs2().colwise().mean().cwiseSqrt();
  for (double& one : spread) {
    one = one > 0.0 ? one : 1.0;
  }
  Eigen::MatrixXd rows(inputs.rows(), d + 1);
  rows.leftCols(d) = (inputs.rowwise() - mean).array().rowwise() / spread.array();
  rows.col(d).setOnes();
  Eigen::VectorXd weight = Eigen::VectorXd::Zero(d + 1);
  Expansion here = expand(rows, targets, weight);
  for (int round = 0; round < kRounds && here.gradient.cwiseAbs().maxCoeff() > 1e-13; ++round) {
    const Eigen::VectorXd step = here.curvature.ldlt().solve(here.gradient);
    double share = 1.0;
    Expansion there = expand(rows, targets, weight - step);
    while (!(there.value <= here.value) && share > 1e-10) {
      share *= 0.5;
      there = expand(rows, targets, weight - share * step);
    }
    if (!(there.value <= here.value)) {
      break;
    }
    weight -= share * step;
    here = std::move(there);
  }
  LogisticFit out;
  out.loss = here.value - 0.5 * kRidge * weight.squaredNorm();
  out.weight = weight;
  out.weight.head(d).array() /= spread.transpose().array();
  out.weight[d] -= mean.dot(out.weight.head(d));
  return out;
}

}  // namespace tyto

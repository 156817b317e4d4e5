// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/logistic_fit.hpp"

#include <cmath>
#include <vector>

#include <Eigen/Cholesky>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr double kRidge = 1e-9;
constexpr int kRounds = 200;

double log_one_plus_exp(double x) {
  return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

// One or two numbers and a constant; what is missing is 0 and held there by the ridge.
using Three = Eigen::Vector3d;

struct Expansion {  // to the second order
  double value = 0;
  Three gradient = Three::Zero();
  Eigen::Matrix3d curvature = Eigen::Matrix3d::Zero();
};

Expansion expand(const std::vector<Three>& rows, std::span<const double> targets,
                 const Three& weight) {
  const auto n = static_cast<double>(rows.size());
  Expansion out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double score = rows[i].dot(weight);
    const double p = 1.0 / (1.0 + std::exp(-score));
    out.value += (log_one_plus_exp(score) - targets[i] * score) / n;
    out.gradient += (p - targets[i]) / n * rows[i];
    out.curvature += p * (1.0 - p) / n * rows[i] * rows[i].transpose();
  }
  out.value += 0.5 * kRidge * weight.squaredNorm();
  out.gradient += kRidge * weight;
  out.curvature.diagonal().array() += kRidge;
  return out;
}

}  // namespace

LogisticFit fit_logistic(const Dense<double>& inputs, std::span<const double> targets) {
  const Index d = inputs.cols();
  TYTO_ASSERT(inputs.rows() == std::ssize(targets) && inputs.rows() > 0 && d >= 1 && d <= 2);
  const Eigen::RowVectorXd mean = inputs.colwise().mean();
  Eigen::RowVectorXd spread = (inputs.rowwise() - mean).cwiseAbs2().colwise().mean().cwiseSqrt();
  for (double& one : spread) {
    one = one > 0.0 ? one : 1.0;
  }
  std::vector<Three> rows;
  for (Index i = 0; i < inputs.rows(); ++i) {
    Three& row = rows.emplace_back(Three::Zero());
    for (Index j = 0; j < d; ++j) {
      row[j] = (inputs(i, j) - mean[j]) / spread[j];
    }
    row[2] = 1.0;
  }
  Three weight = Three::Zero();
  Expansion here = expand(rows, targets, weight);
  for (int round = 0; round < kRounds; ++round) {
    const Three step = here.curvature.ldlt().solve(here.gradient);
    const bool last = step.cwiseAbs().maxCoeff() < 1e-9 * (1.0 + weight.cwiseAbs().maxCoeff());
    double share = 1.0;
    Expansion there = expand(rows, targets, weight - step);
    while (!last && !(there.value <= here.value) && share > 1e-10) {
      share *= 0.5;
      there = expand(rows, targets, weight - share * step);
    }
    if (!last && !(there.value <= here.value)) {
      break;
    }
    const bool flat = here.value - there.value <= 1e-15 * (1.0 + here.value);
    weight -= share * step;
    here = there;
    if (last || flat) {
      break;
    }
  }
  LogisticFit out;
  out.loss = here.value - 0.5 * kRidge * weight.squaredNorm();
  out.weight.resize(d + 1);
  out.weight.head(d) = weight.head(d).array() / spread.transpose().array();
  out.weight[d] = weight[2] - mean.dot(out.weight.head(d));
  return out;
}

}  // namespace tyto

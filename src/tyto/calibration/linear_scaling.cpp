// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/linear_scaling.hpp"

#include <cmath>

#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

// On what no other penalty bounds: separable answers have no finite optimum without it, and others
// move by less than 1e-6.
constexpr double kLeastRidge = 1e-9;

// A class without samples takes no part in the loss: the others' shifts would rise against it.
constexpr double kOut = -1e30;

std::vector<bool> classes_seen(std::span<const Index> truth, Index classes) {
  std::vector<bool> seen(static_cast<std::size_t>(classes));
  for (const Index k : truth) {
    seen[static_cast<std::size_t>(k)] = true;
  }
  return seen;
}

}  // namespace

double mean_loss(Dense<double>& z, std::span<const Index> truth) {
  const auto n = static_cast<double>(z.rows());
  std::vector<double> losses(truth.size());
  share_loop(z.rows(), 8 * z.cols(), [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    auto row = z.row(i).array();
    const double highest = row.maxCoeff();
    const double right = row[truth[at]] - highest;
    row = (row - highest).exp();
    const double sum = row.sum();
    losses[at] = std::log(sum) - right;
    row *= 1.0 / (sum * n);
    row[truth[at]] -= 1.0 / n;
  });
  double total = 0.0;
  for (const double loss : losses) {
    total += loss;
  }
  return total / n;
}

LinearScaling fit_diagonal(const Scores& inputs, std::span<const Index> truth, double ridge) {
  const Index k = inputs.cols();
  const std::vector<bool> seen = classes_seen(truth, k);
  const double strength = std::max(ridge, kLeastRidge);
  Eigen::VectorXd start(2 * k);
  start << Eigen::VectorXd::Ones(k), Eigen::VectorXd::Zero(k);
  Dense<double> z(inputs.rows(), k);
  const LbfgsResult found = minimise(
      [&](const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
        z = inputs * x.head(k).asDiagonal();
        z.rowwise() += x.tail(k).transpose();
        for (Index c = 0; c < k; ++c) {
          if (!seen[static_cast<std::size_t>(c)]) {
            z.col(c).setConstant(kOut);
          }
        }
        double value = mean_loss(z, truth);
        gradient.head(k) = z.cwiseProduct(inputs).colwise().sum().transpose();
        gradient.tail(k) = z.colwise().sum().transpose();
        const Eigen::VectorXd off = x - start;
        value += strength * off.squaredNorm();
        gradient += 2.0 * strength * off;
        for (Index c = 0; c < k; ++c) {
          if (!seen[static_cast<std::size_t>(c)]) {
            gradient[c] = gradient[k + c] = 0.0;
          }
        }
        return value;
      },
      start);
  return {found.x.head(k).transpose(), found.x.tail(k), found.value, found.slope};
}

LinearScaling fit_full(const Scores& inputs, std::span<const Index> truth, double scale,
                       double off_diagonal, double bias) {
  const Index k = inputs.cols();
  const Dense<double> x_rows = inputs / scale;
  const double off = off_diagonal / (scale * scale);
  const Dense<double> one = Dense<double>::Identity(k, k);
  Eigen::VectorXd start = Eigen::VectorXd::Zero(k * k + k);
  Eigen::Map<Dense<double>>(start.data(), k, k) = one;
  Dense<double> z(inputs.rows(), k);
  const LbfgsResult found = minimise(
      [&](const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
        const Eigen::Map<const Dense<double>> weight(x.data(), k, k);
        Eigen::Map<Dense<double>> by_weight(gradient.data(), k, k);
        z.noalias() = x_rows * weight.transpose();
        z.rowwise() += x.tail(k).transpose();
        double value = mean_loss(z, truth);
        by_weight.noalias() = z.transpose() * x_rows;
        gradient.tail(k) = z.colwise().sum().transpose();
        // On the diagonal only what keeps a separable problem finite.
        Dense<double> away = weight - one;
        const Eigen::VectorXd diagonal = away.diagonal();
        away.diagonal().setZero();
        value += off * away.squaredNorm() + kLeastRidge * diagonal.squaredNorm();
        by_weight += 2.0 * off * away;
        by_weight.diagonal() += 2.0 * kLeastRidge * diagonal;
        const double shift = std::max(bias, kLeastRidge);
        value += shift * x.tail(k).squaredNorm();
        gradient.tail(k) += 2.0 * shift * x.tail(k);
        return value;
      },
      start, {.tolerance = 1e-8, .rounds = 2000});
  const Eigen::Map<const Dense<double>> weight(found.x.data(), k, k);
  return {weight / scale, found.x.tail(k), found.value, found.slope};
}

Dense<double> scaled(const Scores& inputs, const LinearScaling& fit) {
  Dense<double> out(inputs.rows(), inputs.cols());
  if (fit.weight.rows() == 1) {
    out = inputs * fit.weight.row(0).asDiagonal();
  } else {
    out.noalias() = inputs * fit.weight.transpose();
  }
  out.rowwise() += fit.bias.transpose();
  return out;
}

}  // namespace tyto

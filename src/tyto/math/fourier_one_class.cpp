// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/fourier_one_class.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/heed_interrupts.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/one_class_svm.hpp"

namespace tyto {

namespace {

constexpr Index kFourierRows = 2048;  // mapped at a time
constexpr int kFourierRounds = 2000, kHalvings = 60;
constexpr double kFourierGap = 1e-4;

// The nearest point to `from` with entries in [0, most] and the sum 1.
Eigen::VectorXd onto_weights(const Eigen::VectorXd& from, double most) {
  double low = from.minCoeff() - most;
  double high = from.maxCoeff();
  for (int i = 0; i < kHalvings; ++i) {
    const double shift = 0.5 * (low + high);
    const double sum = (from.array() - shift).max(0.0).min(most).sum();
    (sum > 1.0 ? low : high) = shift;
  }
  return (from.array() - 0.5 * (low + high)).max(0.0).min(most);
}

// The least a.values over the same weights: the least values get all they may.
double least_product(std::vector<double> values, double most) {
  const auto whole = std::min(values.size(), static_cast<std::size_t>(1.0 / most) + 1);
  std::partial_sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(whole),
                    values.end());
  double left = 1.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < whole && left > 0.0; ++i) {
    const double weight = std::min(most, left);
    sum += weight * values[i];
    left -= weight;
  }
  return sum;
}

}  // namespace

LinearOneClass linear_one_class(const MatrixView& rows, double nu) {
  TYTO_ASSERT(rows.rows() > 0 && rows.cols() > 0 && nu > 0.0 && nu <= 1.0);
  const Index n = rows.rows();
  const double most = std::max(1.0 / (nu * static_cast<double>(n)), 1.0 / static_cast<double>(n));
  // Weights are about 1 / n: products in float would lose them beside each other, not in
  // themselves.
  const auto direction_of = [&](const Eigen::VectorXd& weights) {
    return Vector(rows.transpose() * weights.cast<float>());
  };
  Eigen::VectorXd weights = Eigen::VectorXd::Constant(n, 1.0 / static_cast<double>(n));
  Eigen::VectorXd ahead = weights;
  // A bound on the largest eigenvalue of the kernel, by a few rounds of the power method.
  Vector main = direction_of(weights);
  double curve = 0.0;
  for (int i = 0; i < 20 && main.norm() > 0.0F; ++i) {
    main /= main.norm();
    main = rows.transpose() * Vector(rows * main);
    curve = static_cast<double>(main.norm());
  }
  curve = std::max(1.05 * curve, std::numeric_limits<double>::min());
  double momentum = 1.0;
  Vector direction = direction_of(weights);
  Eigen::VectorXd value = (rows * direction).cast<double>();
  for (int round = 0; round < kFourierRounds; ++round) {
    heed_interrupts();
    const Eigen::VectorXd slope = (rows * direction_of(ahead)).cast<double>();
    const Eigen::VectorXd next = onto_weights(ahead - slope / curve, most);
    const double grown = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
    const Eigen::VectorXd step = next - weights;
    if ((ahead - next).dot(step) > 0.0) {  // overshot: momentum starts again
      momentum = 1.0;
      ahead = next;
    } else {
      ahead = next + step * ((momentum - 1.0) / grown);
      momentum = grown;
    }
    weights = next;
    if (round % 10 == 9) {
      direction = direction_of(weights);
      value = (rows * direction).cast<double>();
      const double all = weights.dot(value);
      const double gap = all - least_product({value.begin(), value.end()}, most);
      if (gap <= kFourierGap * all) {
        break;
      }
    }
  }
  direction = direction_of(weights);
  value = (rows * direction).cast<double>();
  // Rows with a weight in between lie on the boundary; without any, it is between the others.
  double sum = 0.0;
  Index between = 0;
  double inside = std::numeric_limits<double>::infinity();
  double outside = -inside;
  for (Index i = 0; i < n; ++i) {
    if (weights[i] > 1e-6 * most && weights[i] < (1.0 - 1e-6) * most) {
      sum += value[i];
      ++between;
    } else if (weights[i] <= 1e-6 * most) {
      inside = std::min(inside, value[i]);
    } else {
      outside = std::max(outside, value[i]);
    }
  }
  const double rho = between > 0               ? sum / static_cast<double>(between)
                     : !std::isfinite(inside)  ? outside
                     : !std::isfinite(outside) ? inside
                                               : 0.5 * (inside + outside);
  return {direction, rho};
}

FourierOneClass::FourierOneClass(const MatrixView& rows, double nu, double gamma, Index features,
                                 Rng rng) {
  TYTO_ASSERT(rows.rows() > 0 && rows.cols() > 0 && features >= 2);
  const double width = gamma > 0.0 ? gamma : scale_gamma(rows);
  centre_ = rows.cast<double>().colwise().mean().cast<float>();
  frequencies_.resize(features / 2, rows.cols());
  for (Index i = 0; i < frequencies_.size(); ++i) {
    frequencies_.data()[i] = static_cast<float>(std::sqrt(2.0 * width) * rng.normal());
  }
  const LinearOneClass found = linear_one_class(mapped(rows), nu);
  if (!(found.rho > 0.0)) {
    throw Error(ErrorKind::numeric,
                fmt::format("the one-class machine found no support among {} rows with nu {}, "
                            "gamma {} and {} Fourier features; more features may help",
                            rows.rows(), nu, width, features));
  }
  direction_ = found.direction.transpose();
  rho_ = found.rho;
}

Matrix FourierOneClass::mapped(const MatrixView& rows) const {
  const Index pairs = frequencies_.rows();
  Matrix out(rows.rows(), 2 * pairs);
  in_blocks(rows.rows(), kFourierRows, [&](Index begin, Index count) {
    heed_interrupts();
    const Matrix angle =
        (rows.middleRows(begin, count).rowwise() - centre_.row(0)) * frequencies_.transpose();
    out.block(begin, 0, count, pairs) = angle.array().cos();
    out.block(begin, pairs, count, pairs) = angle.array().sin();
  });
  return out / std::sqrt(static_cast<float>(pairs));
}

Vector FourierOneClass::outside(const MatrixView& rows) const {
  Vector out(rows.rows());
  in_blocks(rows.rows(), kFourierRows, [&](Index begin, Index count) {
    const Vector value = mapped(rows.middleRows(begin, count)) * direction_.row(0).transpose();
    out.segment(begin, count) = 1.0F - value.array() / static_cast<float>(rho_);
  });
  return out;
}

void FourierOneClass::save(State& state) const {
  state.set("centre", centre_);
  state.set("frequencies", frequencies_);
  state.set("direction", direction_);
  state.set("rho", double{rho_});
}

void FourierOneClass::load(const State& state) {
  centre_ = state.get<Matrix>("centre");
  frequencies_ = state.get<Matrix>("frequencies");
  direction_ = state.get<Matrix>("direction");
  rho_ = state.get<double>("rho");
}

}  // namespace tyto

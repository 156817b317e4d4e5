// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/contrast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "tyto/cluster/matrix_adam.hpp"
#include "tyto/math/unit_rows.hpp"

namespace tyto {

namespace {

constexpr float kSelf = -std::numeric_limits<float>::infinity();

// Each row of products to its softmax, the row itself left out; returns the log sums.
Vector shares_of_others(Matrix& products) {
  Vector log_sum(products.rows());
  products.diagonal().setConstant(kSelf);
  for (Index i = 0; i < products.rows(); ++i) {
    const float most = products.row(i).maxCoeff();
    products.row(i) = (products.row(i).array() - most).exp();
    const float sum = products.row(i).sum();
    products.row(i) /= sum;
    log_sum[i] = most + std::log(sum);
  }
  return log_sum;
}

// Through the scaling to unit length: what is along a row does nothing.
Matrix through_unit(const Matrix& gradient, const Matrix& unit, const Vector& length) {
  const Vector along = gradient.cwiseProduct(unit).rowwise().sum();
  Matrix out = gradient - along.asDiagonal() * unit;
  out.array().colwise() /= length.array().max(1e-12F);
  return out;
}

}  // namespace

void ContrastOptions::describe(OptionVisitor& v) {
  views.describe(v);
  v.field("weight", weight, {0.0, 1.0},
          "of the contrast among labelled rows, that of views has the rest");
  v.field("temperature", temperature, {1e-3, 1e3}, "of both");
  v.field("width", width, {1, 1e5}, "columns of the learned space, at most");
  v.field("rate", rate, {1e-6, 1e3}, "of learning; falls to 0 along a cosine");
  v.field("epochs", epochs, {0, 1e6}, "over all rows");
  v.field("batch", batch, {2, 1e5}, "rows of a step");
}

ContrastLoss contrast_loss(const Matrix& one, const Matrix& two,
                           std::span<const std::int32_t> labels, double weight,
                           double temperature) {
  const Index n = one.rows();
  const auto sharp = static_cast<float>(1.0 / temperature);
  ContrastLoss out;
  out.by_one = Matrix::Zero(n, one.cols());
  out.by_two = out.by_one;
  if (n < 2) {
    return out;
  }
  Matrix products = sharp * (one * one.transpose());
  std::vector<Index> known;
  for (Index i = 0; i < n; ++i) {
    if (labels[static_cast<std::size_t>(i)] >= 0) {
      known.push_back(i);
    }
  }
  Matrix among = products(known, known);
  const Vector alike = sharp * one.cwiseProduct(two).rowwise().sum();
  const Vector log_sum = shares_of_others(products);
  const auto free = static_cast<float>((1.0 - weight) / static_cast<double>(n));
  out.value = static_cast<double>(free) * (log_sum - alike).cast<double>().sum();
  out.by_one.noalias() += free * sharp * (products * one);
  out.by_one.noalias() += free * sharp * (products.transpose() * one);
  out.by_one -= free * sharp * two;
  out.by_two -= free * sharp * one;

  if (known.size() > 1) {
    const Matrix cosine = among;
    const Vector log_known = shares_of_others(among);
    Matrix slope = Matrix::Zero(among.rows(), among.cols());
    Index counted = 0;
    double sum = 0.0;
    for (Index i = 0; i < among.rows(); ++i) {
      std::vector<Index> same;
      for (Index j = 0; j < among.cols(); ++j) {
        if (i != j && labels[static_cast<std::size_t>(known[static_cast<std::size_t>(i)])] ==
                          labels[static_cast<std::size_t>(known[static_cast<std::size_t>(j)])]) {
          same.push_back(j);
        }
      }
      if (same.empty()) {
        continue;
      }
      ++counted;
      slope.row(i) = among.row(i);
      sum += static_cast<double>(log_known[i]);
      const float each = 1.0F / static_cast<float>(same.size());
      for (const Index j : same) {
        slope(i, j) -= each;
        sum -= static_cast<double>(each * cosine(i, j));
      }
    }
    if (counted > 0) {
      const auto share = static_cast<float>(weight / static_cast<double>(counted));
      out.value += static_cast<double>(share) * sum;
      const Matrix rows = one(known, Eigen::all);
      const Matrix pull = share * sharp * ((slope + slope.transpose()) * rows);
      for (std::size_t i = 0; i < known.size(); ++i) {
        out.by_one.row(known[i]) += pull.row(static_cast<Index>(i));
      }
    }
  }
  return out;
}

Matrix projected(const MatrixView& rows, const Matrix& projection) {
  return unit_rows(rows * projection);
}

Matrix learn_contrast(const Matrix& rows, std::span<const std::int32_t> labels,
                      const ContrastOptions& options, Work& work) {
  const Index n = rows.rows();
  const Index d = rows.cols();
  Matrix projection = Matrix::Identity(d, std::min(d, options.width));
  if (d > options.width) {
    Rng rng = work.rng.fork("projection");
    for (Index i = 0; i < projection.size(); ++i) {
      projection.data()[i] =
          static_cast<float>(rng.normal() / std::sqrt(static_cast<double>(options.width)));
    }
  }
  if (n < 2) {
    return projection;
  }
  const Matrix unit = unit_rows(rows);
  const RowViews views(unit, options.views, work);
  MatrixAdam adam(options.rate / std::sqrt(static_cast<double>(d)));
  const Index steps = std::max<Index>(1, n / std::min(options.batch, n));
  const auto all = static_cast<double>(steps * options.epochs);
  double done = 0.0;
  for (Index epoch = 0; epoch < options.epochs; ++epoch) {
    work.progress.pulse();
    const auto number = static_cast<std::uint64_t>(epoch);
    const auto order = work.rng.fork("order", number).permutation(n);
    for (Index s = 0; s < steps; ++s) {
      const Index begin = s * n / steps;
      const Rows batch = Rows(order).subspan(static_cast<std::size_t>(begin),
                                             static_cast<std::size_t>((s + 1) * n / steps - begin));
      std::vector<std::int32_t> own;
      for (const Index i : batch) {
        own.push_back(labels.empty() ? -1 : labels[static_cast<std::size_t>(i)]);
      }
      const Matrix one = views.draw(batch, 2 * number);
      const Matrix two = views.draw(batch, 2 * number + 1);
      const Matrix seen_one = one * projection;
      const Matrix seen_two = two * projection;
      const Matrix unit_one = unit_rows(seen_one);
      const Matrix unit_two = unit_rows(seen_two);
      const ContrastLoss loss =
          contrast_loss(unit_one, unit_two, own, options.weight, options.temperature);
      const Matrix gradient =
          one.transpose() * through_unit(loss.by_one, unit_one, seen_one.rowwise().norm()) +
          two.transpose() * through_unit(loss.by_two, unit_two, seen_two.rowwise().norm());
      adam.step(projection, gradient, 0.5 * (1.0 + std::cos(std::numbers::pi * done / all)));
      done += 1.0;
    }
  }
  return projection;
}

}  // namespace tyto

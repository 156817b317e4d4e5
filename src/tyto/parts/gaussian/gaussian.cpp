// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/gaussian/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <Eigen/Cholesky>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"

namespace tyto {

namespace {

constexpr Index kRows = 1024;     // with kColumns, bounds the products at 16 MB
constexpr Index kColumns = 4096;  // of one product, unless a single Gaussian has more

// What a Gaussian is in products: the squared distance is that under the diagonal less the square
// of `directions` (x - mean) (Woodbury).
struct Form {
  Eigen::VectorXd weights;     // inverse noise
  Dense<double> directions;    // r x d
  double log_determinant = 0;  // of the covariance
};

Form form_of(const Gaussian& g) {
  const Index d = g.mean.size();
  Form form;
  form.weights = g.noise.cwiseInverse();
  form.log_determinant = g.noise.size() == 1 ? static_cast<double>(d) * std::log(g.noise[0])
                                             : g.noise.array().log().sum();
  if (g.factor.cols() == 0) {
    form.directions.resize(0, d);
    return form;
  }
  const Eigen::MatrixXd columns = g.factor.cast<double>();
  const Eigen::MatrixXd weighted = g.noise.size() == 1
                                       ? Eigen::MatrixXd(columns * form.weights[0])
                                       : Eigen::MatrixXd(form.weights.asDiagonal() * columns);
  Eigen::MatrixXd inner = columns.transpose() * weighted;
  inner.diagonal().array() += 1.0;
  const Eigen::LLT<Eigen::MatrixXd> factor(inner);
  TYTO_ASSERT(factor.info() == Eigen::Success);
  form.directions = factor.matrixL().solve(weighted.transpose());
  form.log_determinant += 2.0 * Eigen::MatrixXd(factor.matrixL()).diagonal().array().log().sum();
  return form;
}

}  // namespace

GaussianSet::GaussianSet(const Frame& frame, const std::vector<Gaussian>& gaussians)
    : centre_(frame.centre.cast<float>()),
      scale_(frame.scale.cols() == 1 ? Matrix(frame.scale.transpose().cast<float>())
                                     : Matrix(frame.scale.cast<float>())),
      order_(gaussians.size()) {
  std::iota(order_.begin(), order_.end(), Index{0});
  const auto at = [&](Index i) -> const Gaussian& {
    return gaussians[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)])];
  };
  std::stable_sort(order_.begin(), order_.end(), [&](Index a, Index b) {
    return gaussians[static_cast<std::size_t>(a)].factor.cols() >
           gaussians[static_cast<std::size_t>(b)].factor.cols();
  });
  const Index d = frame.centre.size();
  const Index n = size();
  Index rows = n;
  bool round = true;
  for (const Gaussian& g : gaussians) {
    rows += g.factor.cols();
    round = round && g.noise.size() == 1;
  }
  stacked_.resize(rows, d);
  shift_.setZero(rows);
  weights_.resize(n, round ? 1 : d);
  constant_.resize(n);
  log_norm_.setConstant(n, static_cast<float>(frame.log_volume()));
  for (Index first = 0; first < n;) {
    Index count = 1;
    Index columns = 1 + at(first).factor.cols();
    while (first + count < n && columns + 1 + at(first + count).factor.cols() <= kColumns) {
      columns += 1 + at(first + count).factor.cols();
      ++count;
    }
    add_chunk(gaussians, first, count);
    first += count;
  }
}

void GaussianSet::add_chunk(const std::vector<Gaussian>& gaussians, Index first, Index count) {
  Chunk chunk{first, count, 0, {}};
  if (!chunks_.empty()) {
    const Chunk& last = chunks_.back();
    chunk.row =
        last.row + last.count + std::accumulate(last.layers.begin(), last.layers.end(), Index{0});
  }
  std::vector<Index> place;  // of each layer's first row
  for (Index i = 0; i < count; ++i) {
    const Gaussian& g =
        gaussians[static_cast<std::size_t>(order_[static_cast<std::size_t>(first + i)])];
    if (i == 0) {
      chunk.layers.assign(static_cast<std::size_t>(g.factor.cols()), 0);
    }
    for (Index j = 0; j < g.factor.cols(); ++j) {
      ++chunk.layers[static_cast<std::size_t>(j)];
    }
  }
  Index row = chunk.row + count;
  for (const Index layer : chunk.layers) {
    place.push_back(row);
    row += layer;
  }
  const auto d = static_cast<double>(stacked_.cols());
  for (Index i = 0; i < count; ++i) {
    const Gaussian& g =
        gaussians[static_cast<std::size_t>(order_[static_cast<std::size_t>(first + i)])];
    const Form form = form_of(g);
    Eigen::VectorXd weights = form.weights;
    if (weights.size() == 1) {
      weights.setConstant(g.mean.size(), form.weights[0]);
    }
    if (weights_.cols() == 1) {
      weights_(first + i, 0) = static_cast<float>(form.weights[0]);
    } else {
      weights_.row(first + i) = weights.transpose().cast<float>();
    }
    const Eigen::VectorXd weighted = weights.cwiseProduct(g.mean);
    stacked_.row(chunk.row + i) = weighted.transpose().cast<float>();
    constant_[first + i] = static_cast<float>(weighted.dot(g.mean));
    const Eigen::VectorXd shift = form.directions * g.mean;
    for (Index j = 0; j < shift.size(); ++j) {
      const Index at = place[static_cast<std::size_t>(j)] + i;
      stacked_.row(at) = form.directions.row(j).cast<float>();
      shift_[at] = static_cast<float>(shift[j]);
    }
    log_norm_[first + i] +=
        static_cast<float>(-0.5 * (d * std::log(2.0 * std::numbers::pi) + form.log_determinant));
  }
  chunks_.push_back(std::move(chunk));
}

Matrix GaussianSet::log_density(const MatrixView& rows) const {
  Matrix out(rows.rows(), size());
  if (out.size() == 0) {
    return out;
  }
  TYTO_ASSERT(rows.cols() == centre_.size());
  Matrix products;
  in_blocks(rows.rows(), kRows, [&](Index begin, Index count) {
    Matrix z = rows.middleRows(begin, count).rowwise() - centre_.transpose();
    if (scale_.rows() == 1) {
      z.array().rowwise() *= scale_.row(0).array();
    } else {
      z = z * scale_;
    }
    for (const Chunk& chunk : chunks_) {
      score(z, chunk, products, out.middleRows(begin, count));
    }
  });
  return out;
}

void GaussianSet::score(const Matrix& z, const Chunk& chunk, Matrix& products,
                        MatrixRef out) const {
  const Index columns =
      chunk.count + std::accumulate(chunk.layers.begin(), chunk.layers.end(), Index{0});
  products.resize(z.rows(), columns);
  products.noalias() = z * stacked_.middleRows(chunk.row, columns).transpose();
  const bool round = weights_.cols() == 1;
  const auto weights = weights_.middleRows(chunk.first, chunk.count);
  Matrix lengths;  // z' diag(weights) z
  Vector norms;
  if (round) {
    norms = squared_norms(z);
  } else {
    const Matrix squares = z.cwiseAbs2();
    lengths.noalias() = squares * weights.transpose();
  }
  const auto constant = constant_.segment(chunk.first, chunk.count).array();
  const auto log_norm = log_norm_.segment(chunk.first, chunk.count).array();
  for_each_index(z.rows(), [&](Index i) {
    auto row = products.row(i).transpose().array();
    Eigen::ArrayXf far = constant - 2.0F * row.head(chunk.count);
    if (round) {
      far += weights.col(0).array() * norms[i];
    } else {
      far += lengths.row(i).transpose().array();
    }
    Index at = chunk.count;
    for (const Index layer : chunk.layers) {
      far.head(layer) -=
          (row.segment(at, layer) - shift_.segment(chunk.row + at, layer).array()).square();
      at += layer;
    }
    // A distance is not negative; rounding can make it so near a mean.
    far = log_norm - 0.5F * far.max(0.0F);
    for (Index k = 0; k < chunk.count; ++k) {
      out(i, order_[static_cast<std::size_t>(chunk.first + k)]) = far[k];
    }
  });
}

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/map/principal_scores.hpp"

#include <algorithm>
#include <cmath>

#include "tyto/core/parallel.hpp"
#include "tyto/core/random.hpp"
#include "tyto/math/eigen_symmetric.hpp"

namespace tyto {

namespace {

constexpr Index kExactSide = 1024;
constexpr Index kTile = 64;
constexpr Index kRounds = 40;
constexpr Index kSpare = 10;  // directions iterated besides those asked for

// A product in tiles of columns, each within one thread: BLAS cuts its sums by their number.
Eigen::MatrixXd product(const Eigen::Ref<const Eigen::MatrixXd>& a,
                        const Eigen::Ref<const Eigen::MatrixXd>& b) {
  Eigen::MatrixXd out(a.rows(), b.cols());
  const Index tiles = (b.cols() + kTile - 1) / kTile;
  for_each_index(tiles, [&](Index tile) {
    const Index begin = tile * kTile;
    const Index count = std::min(kTile, b.cols() - begin);
    out.middleCols(begin, count).noalias() = a * b.middleCols(begin, count);
  });
  return out;
}

// In one thread, for the same reason.
Spectrum spectrum_of(const Eigen::MatrixXd& symmetric) {
  Spectrum out;
  for_each_index(1, [&](Index) { out = eigen_symmetric(symmetric); });
  return out;
}

void make_orthonormal(Eigen::MatrixXd& columns) {  // Gram-Schmidt, twice for rounding
  for (Index j = 0; j < columns.cols(); ++j) {
    for (int pass = 0; pass < 2; ++pass) {
      for (Index i = 0; i < j; ++i) {
        columns.col(j) -= columns.col(i).dot(columns.col(j)) * columns.col(i);
      }
      const double norm = columns.col(j).norm();
      columns.col(j) *= norm > 0.0 ? 1.0 / norm : 0.0;
    }
  }
}

// A column each; `centred` is d x n.
Spectrum strongest(const Eigen::MatrixXd& centred, Index count) {
  const Index d = centred.rows();
  const Index n = centred.cols();
  const Eigen::MatrixXd turned = centred.transpose();
  if (d <= std::min(n, kExactSide)) {
    return spectrum_of(product(centred, turned));
  }
  if (n <= kExactSide) {  // directions from those of the n x n products of rows
    Spectrum out = spectrum_of(product(turned, centred));
    out.vectors = product(centred, out.vectors.leftCols(std::min(count, n)));
    make_orthonormal(out.vectors);
    return out;
  }
  Rng rng(1, "principal_scores");
  Eigen::MatrixXd block(d, std::min(d, count + kSpare));
  for (double& value : block.reshaped()) {
    value = rng.normal();
  }
  for (Index round = 0; round < kRounds; ++round) {
    make_orthonormal(block);
    block = product(centred, product(turned, block));
  }
  make_orthonormal(block);
  const Eigen::MatrixXd seen = product(turned, block);
  Spectrum out = spectrum_of(product(seen.transpose(), seen));
  out.vectors = product(block, out.vectors);
  return out;
}

}  // namespace

Matrix principal_scores(const MatrixView& rows, Index count) {
  Matrix scores = Matrix::Zero(rows.rows(), count);
  if (rows.rows() < 2 || rows.cols() == 0) {
    return scores;
  }
  Eigen::MatrixXd centred = rows.transpose().cast<double>();
  centred.colwise() -= centred.rowwise().mean().eval();
  const Spectrum spectrum = strongest(centred, count);
  const Index found = std::min({count, spectrum.vectors.cols(), spectrum.values.size()});
  for (Index j = 0; j < found; ++j) {
    if (spectrum.values[j] <= 1e-12 * spectrum.values[0] || !(spectrum.values[0] > 0.0)) {
      break;  // rounding alone
    }
    for_each_index(rows.rows(), [&](Index i) {
      scores(i, j) = static_cast<float>(centred.col(i).dot(spectrum.vectors.col(j)));
    });
  }
  return scores;
}

}  // namespace tyto

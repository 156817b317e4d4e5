// SPDX-License-Identifier: Apache-2.0
// Gaussians whose covariance is a diagonal plus a few directions, and the log densities of many
// rows under many of them by stacked matrix products.
#pragma once

#include <vector>

#include "tyto/parts/gaussian/scatter_sketch.hpp"

namespace tyto {

// Coordinates z = (x - centre) scale in which Gaussians are given.
struct Frame {
  Eigen::VectorXd centre;
  Eigen::MatrixXd scale;  // d x d, or d x 1: a factor per column

  // Where the covariance becomes the identity; it must have a Cholesky factor.
  static Frame whitening(const Eigen::VectorXd& centre, const Eigen::MatrixXd& covariance);
  // Where each column has variance 1; the variances must be above 0.
  static Frame standardising(const Eigen::VectorXd& centre, const Eigen::VectorXd& variances);

  [[nodiscard]] Eigen::VectorXd moved(const Eigen::VectorXd& x) const;
  [[nodiscard]] double log_volume() const;  // of a unit cube of x in z: log |det scale|
};

struct Gaussian {  // covariance diag(noise) + factor factor'
  Eigen::VectorXd mean;
  Eigen::VectorXd noise;   // one entry: the same for all columns; above 0
  Eigen::MatrixXf factor;  // d x r; no columns: the diagonal alone
};

// The three take mean and covariance of a sketch into a frame, where the covariance shared by all
// classes is the identity.
Gaussian shared_gaussian(const ScatterSketch& sketch, const Frame& frame);
// Own variances, (1 - e) s + e; e = shrinkage, 0: 4 / (n + 3), as if four rows had been seen
// before.
Gaussian diagonal_gaussian(const ScatterSketch& sketch, const Frame& frame, double shrinkage);
// Own covariance, (1 - e) S + e t I; e = shrinkage, 0: by OAS. t is the mean variance of S, taken
// together with one row of the shared variance. What the sketch has lost of S is spread evenly.
Gaussian own_gaussian(const ScatterSketch& sketch, const Frame& frame, double shrinkage);

class GaussianSet {
 public:
  GaussianSet() = default;
  GaussianSet(const Frame& frame, const std::vector<Gaussian>& gaussians);

  [[nodiscard]] Index size() const { return static_cast<Index>(order_.size()); }

  // Row i under Gaussian j, in the density of the rows as given. With R directions in all k
  // Gaussians: O(n d (d + k + R)) time, O(1) memory besides the answer.
  [[nodiscard]] Matrix log_density(const MatrixView& rows) const;

 private:
  struct Chunk {  // Gaussians scored by one product
    Index first, count;
    Index row;                  // its first row of stacked_
    std::vector<Index> layers;  // Gaussians with a 1st, 2nd, ... direction: the first so many
  };

  void add_chunk(const std::vector<Gaussian>& gaussians, Index first, Index count);
  void score(const Matrix& z, const Chunk& chunk, Matrix& products, MatrixRef out) const;

  Vector centre_;
  Matrix scale_;                // d x d, or 1 x d
  std::vector<Index> order_;    // by rank, the highest first
  Matrix stacked_;              // per chunk: weighted means, then the directions layer by layer
  Vector shift_;                // directions times the own mean, by row of stacked_
  Matrix weights_;              // a row per Gaussian, by order_: inverse noise; or one column
  Vector constant_, log_norm_;  // by order_
  std::vector<Chunk> chunks_;
};

}  // namespace tyto

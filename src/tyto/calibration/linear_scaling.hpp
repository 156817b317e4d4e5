// SPDX-License-Identifier: Apache-2.0
// Scores multiplied and shifted so that known answers become likeliest: a factor per class, or a
// matrix. Convex, by L-BFGS.
#pragma once

#include <span>
#include <vector>

#include "tyto/calibration/lbfgs.hpp"
#include "tyto/math/score_rows.hpp"

namespace tyto {

// Mean of -log softmax(z)[truth]; z becomes the gradient by z. Parallel; the same at any number of
// threads.
double mean_loss(Dense<double>& z, std::span<const Index> truth);

struct LinearScaling {
  Dense<double> weight;  // k x k, or 1 x k for a factor per class
  Eigen::VectorXd bias;
  double objective = 0;  // mean loss and penalty
  double slope = 0;      // greatest entry left of the gradient
};

// softmax(w * x + b) with the penalty ridge (sum (w - 1)^2 + sum b^2). Classes without a sample
// keep w = 1 and b = 0 and are left out of the loss, which would drive them out.
LinearScaling fit_diagonal(const Scores& inputs, std::span<const Index> truth, double ridge);

// softmax(W x + b) with the penalty off_diagonal sum_{i != j} W_ij^2 + bias sum b^2 (ODIR), from
// W = 1 / scale on; `scale` is a temperature of the inputs, so that steps are well sized.
LinearScaling fit_full(const Scores& inputs, std::span<const Index> truth, double scale,
                       double off_diagonal, double bias);

Dense<double> scaled(const Scores& inputs, const LinearScaling& fit);

}  // namespace tyto

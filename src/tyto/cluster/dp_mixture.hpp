// SPDX-License-Identifier: Apache-2.0
// A Dirichlet-process mixture of Gaussians with diagonal covariances, by truncated variational
// inference (Blei and Jordan 2006).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

enum class DpForm {
  sound,     // every variance has a Gamma prior of its own, worth one row at the overall variance
  released,  // as scikit-learn: a Wishart prior worth d rows, which in high dimension outweighs the
             // rows of a component and draws all variances to the overall one
};

struct DpMixtureOptions {
  DpForm form = DpForm::sound;
  double concentration = 0.0;  // of the process; more: more components. 0: 1 / components
  double floor = 1e-6;         // added to variances, as a share of the mean one (released: as is)
  double least_weight = 0.0;   // lighter components are likeliest for no row
  Index iterations = 100;
  double tolerance = 1e-3;  // ends once less than this share of the rows changes component
};

struct DpMixture {
  Eigen::VectorXd weights;         // expected, of each component
  Dense<double> means, variances;  // component x column
  std::vector<std::int32_t> best;  // the likeliest component of each row, ties to the lower
  Index iterations = 0;
};

// Begins with the rows in components 0 ... components - 1, best with the largest first: the process
// favours early ones. O(n k d) time per iteration, O(n d + k d) memory and a fixed buffer.
DpMixture fit_dp_mixture(const MatrixView& rows, std::span<const std::int32_t> start,
                         Index components, const DpMixtureOptions& options = {});

}  // namespace tyto

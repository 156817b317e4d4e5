// SPDX-License-Identifier: Apache-2.0
// A mixture of Gaussians, spherical or with diagonal covariances, in which labelled rows belong to
// the component of their class (expectation maximisation).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tyto/cluster/group_scores.hpp"

namespace tyto {

struct GaussianGroupsOptions {
  bool spherical = true;    // one variance per component; else one per column too
  double floor = 1e-6;      // added to every variance
  double prior = 0.0;       // so many rows at the variance within all groups count in each variance
  Index iterations = 100;   // at most
  double tolerance = 1e-3;  // ends once the mean log-likelihood of a row changes by less
};

struct GaussianGroups {
  Eigen::VectorXd weights;
  Dense<double> means, variances;   // component x column
  std::vector<std::int32_t> group;  // the likeliest component, labelled rows included; ties lower
  double log_likelihood = 0;        // mean over all rows, before labels overrule
  Index iterations = 0;

  [[nodiscard]] GroupScores scores() const;
};

// Parameters as if row i belonged to start[i] alone; -1: it counts nowhere.
GaussianGroups gaussians_of(const MatrixView& rows, std::span<const std::int32_t> start,
                            Index components, const GaussianGroupsOptions& options);

// From these parameters on. `pinned`: the component of labelled rows, -1: free. O(n k d) time per
// iteration; memory O(n + k d) and a fixed buffer.
void fit_gaussians(GaussianGroups& groups, const MatrixView& rows,
                   std::span<const std::int32_t> pinned, const GaussianGroupsOptions& options);

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/gaussian/gaussian_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr Index kMixtureRows = 1024;

}  // namespace

Matrix log_mixture(const MatrixView& scores, std::span<const Index> owner, const Vector& log_weight,
                   Index owners) {
  constexpr float kNothing = -30.0F;  // exp of it is below the rounding of 1
  Matrix out(scores.rows(), owners);
  for_each_index(scores.rows(), [&](Index i) {
    const Index columns = scores.cols();
    for (Index k = 0; k < columns;) {
      const Index mine = owner[static_cast<std::size_t>(k)];
      Index end = k;
      float highest = -std::numeric_limits<float>::infinity();
      for (; end < columns && owner[static_cast<std::size_t>(end)] == mine; ++end) {
        highest = std::max(highest, scores(i, end) + log_weight[end]);
      }
      float sum = 0.0F;
      for (; k < end; ++k) {
        const float below = scores(i, k) + log_weight[k] - highest;
        sum += below > kNothing ? std::exp(below) : 0.0F;
      }
      out(i, mine) = highest + std::log(sum);
    }
  });
  return out;
}

GaussianMixtures::GaussianMixtures(const Frame& frame, const std::vector<Gaussian>& components,
                                   std::vector<Index> owner, std::span<const double> weight)
    : components_(frame, components), owner_(std::move(owner)), log_weight_(components_.size()) {
  TYTO_ASSERT(owner_.size() == components.size() && weight.size() == components.size());
  std::vector<double> sums(static_cast<std::size_t>(size()), 0.0);
  for (std::size_t k = 0; k < owner_.size(); ++k) {
    sums[static_cast<std::size_t>(owner_[k])] += weight[k];
  }
  for (std::size_t k = 0; k < owner_.size(); ++k) {
    log_weight_[static_cast<Index>(k)] =
        static_cast<float>(std::log(weight[k] / sums[static_cast<std::size_t>(owner_[k])]));
  }
}

Matrix GaussianMixtures::log_density(const MatrixView& rows) const {
  if (size() == components()) {
    return components_.log_density(rows);
  }
  Matrix out(rows.rows(), size());
  in_blocks(rows.rows(), kMixtureRows, [&](Index begin, Index count) {
    out.middleRows(begin, count) = log_mixture(
        components_.log_density(rows.middleRows(begin, count)), owner_, log_weight_, size());
  });
  return out;
}

}  // namespace tyto

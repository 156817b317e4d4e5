// SPDX-License-Identifier: Apache-2.0
// Many mixtures of Gaussians at once: one per class.
#pragma once

#include "tyto/parts/gaussian/gaussian.hpp"

namespace tyto {

// log of the sum of exp(scores + log_weights) over the columns of each owner in [0, owners).
Matrix log_mixture(const MatrixView& scores, std::span<const Index> owner, const Vector& log_weight,
                   Index owners);

class GaussianMixtures {
 public:
  GaussianMixtures() = default;
  // `owner` is the mixture of each component, ascending from 0 without a gap; `weight` is relative
  // to the other components of the same mixture.
  GaussianMixtures(const Frame& frame, const std::vector<Gaussian>& components,
                   std::vector<Index> owner, std::span<const double> weight);

  [[nodiscard]] Index size() const { return owner_.empty() ? 0 : owner_.back() + 1; }

  [[nodiscard]] Index components() const { return components_.size(); }

  // Row i under mixture j. Time of GaussianSet; besides the answer, 1024 rows by all components.
  [[nodiscard]] Matrix log_density(const MatrixView& rows) const;

 private:
  GaussianSet components_;
  std::vector<Index> owner_;
  Vector log_weight_;
};

}  // namespace tyto

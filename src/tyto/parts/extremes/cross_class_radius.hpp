// SPDX-License-Identifier: Apache-2.0
// A radius of acceptance by cross-class validation: a third of the known classes plays unknown.
#pragma once

#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

class CrossClassRadius {
 public:
  explicit CrossClassRadius(Index classes) : distance_(static_cast<std::size_t>(classes)) {}

  // A sample's distances to all class means.
  void add(const Eigen::RowVectorXf& to_means, Index own);

  [[nodiscard]] Index classes_seen() const;

  // Three times two thirds of the seen classes are drawn as known (of two classes one, of one class
  // that one). A sample is accepted within the radius of its nearest known mean; of the radii that
  // accept at least 90 % of the known samples, the one with the best F1 is taken, the smallest
  // among equals. The mean over the draws. 0 where no sample was added. O(n (k + log n)).
  [[nodiscard]] double best(const Rng& rng) const;

 private:
  [[nodiscard]] double best_of(const std::vector<Index>& known,
                               const std::vector<Index>& unknown) const;

  std::vector<std::vector<Eigen::RowVectorXf>> distance_;  // by class
};

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
// How far activations lie from the mean activations of a class, against the furthest of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tyto/core/state.hpp"
#include "tyto/math/weibull.hpp"

namespace tyto {

enum class ActivationDistance { eucos, euclidean, cosine };

// eucos is euclidean / 200 + cosine, as released with OpenMax. Cosine is 1 - cos, 1 where one of
// the two has no length.
double activation_distance(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b,
                           ActivationDistance kind);

// Made in two passes over the samples: add_to_mean for each, then add_distance for each, then fit.
class ActivationTails {
 public:
  ActivationTails(Index classes, Index tail, ActivationDistance kind);

  // `right`: the class is also what was predicted. The mean of a class is that of the right ones,
  // or of all its samples where none is right.
  void add_to_mean(Index own, const Eigen::RowVectorXd& activations, bool right);
  void add_distance(Index own, const Eigen::RowVectorXd& activations, bool right);

  // A class with fewer than 3 distances takes the tail of all classes' distances together; where
  // these are fewer than 3 as well, or it has no sample, it has none, and nothing is an outlier.
  void fit();

  // Per class, the chance that a sample of the class is nearer to its mean than these activations.
  [[nodiscard]] Eigen::RowVectorXd outlier(const Eigen::RowVectorXd& activations) const;

  void save(State& state) const;
  void load(const State& state);

 private:
  struct Class {
    Index right = 0, all = 0;
    Eigen::RowVectorXd sum_right, sum_all;
    std::vector<double> furthest;  // a heap of at most `tail`, the least in front
    std::optional<TailFit> fit;
  };

  [[nodiscard]] Eigen::RowVectorXd mean(const Class& one) const;

  Index tail_;
  ActivationDistance kind_;
  std::vector<Class> classes_;
};

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
// The one factor on the scores that makes their softmax fit known answers best.
#pragma once

#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

// Why a temperature is what it is.
enum class TemperatureKind {
  optimum,          // the root of the slope
  all_right,        // every answer has the highest score: the best temperature would be 0
  worse_than_even,  // the scores mislead: even probabilities fit at least as well
  flat              // all scores of a row are equal: any temperature is as good
};

struct TemperatureFit {
  TemperatureKind kind = TemperatureKind::optimum;
  double temperature = 1;
  double slope = 0;          // of the mean loss by 1/T at the answer: what is left of it
  double curvature = 0;      // its derivative; slope / curvature is how far off 1/T is, about
  double low = 0, high = 0;  // 1/T between which the slope changes its sign
  Index passes = 0;          // over the whole table
};

// Minimises the mean of -log softmax(scores / T)[truth]: convex in 1/T, found by Newton's method on
// log(1/T) within a bracket. `truth` holds a column per row; -infinity is an impossible class. A
// share `smoothing` of each answer is spread evenly over the row's possible columns. Without a
// finite optimum: all_right is smoothed by 1 / (n + 1), worse_than_even gets a temperature at which
// all is even but for 1e-6, flat 1. Throws Error(data) where an answer has the score -infinity, or
// there are no rows. O(n k) a pass, some 5 to 9 of them.
template <class T>
TemperatureFit fit_temperature(const Eigen::Ref<const Dense<T>>& scores,
                               std::span<const Index> truth, double smoothing = 0.0);

// T along so many steps of plain gradient descent from T = 1, the start included: they end short of
// the optimum, as a rule. As published baselines do it; T stays above 0.
std::vector<double> descend_temperature(const Eigen::Ref<const Dense<double>>& scores,
                                        std::span<const Index> truth, Index steps, double rate);

// The factor 1/T, kept in [1e-4, 1e4]. Without smoothing, scores that are right every time get the
// greatest.
double fit_scale(const MatrixView& scores, std::span<const Index> truth, double smoothing = 0.0);

}  // namespace tyto

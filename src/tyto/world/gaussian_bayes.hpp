// SPDX-License-Identifier: Apache-2.0
// The regret of the observation in the simulated world of Gaussians: how often the best possible
// answer is wrong, by Bayes' rule with the densities that the samples were drawn from.
#pragma once

#include <span>

#include "tyto/world/gaussians.hpp"

namespace tyto {

struct LeastError {
  double named = 0;    // every class is to be called by its name
  double unknown = 0;  // those not known are one, to be called unknown
};

// Of an observation at `x`, `y`. `share` is how often each class comes, `is_known` whether its name
// is to be given; a class without variance is a point. Some class that comes can have made it.
LeastError least_error(double x, double y, std::span<const GaussianClass> classes,
                       std::span<const double> share, const std::vector<bool>& is_known);

// Annotates each row that is scheduled with both. The classes are those of its split at its
// increment, as often as they come there; known are those shown before.
void tell_least_errors(Series& series, const Schedule& schedule,
                       const std::vector<GaussianClass>& classes);

}  // namespace tyto

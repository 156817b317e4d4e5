// SPDX-License-Identifier: Apache-2.0
// The probability psi that a point belongs with an extreme vector, in the two forms in use:
//   paper   psi(d) = exp(-(d / scale)^shape)
//   libmr   psi(d) = 1 - exp(-((edge - d) / scale)^shape), 0 from d = edge on
// Distances may be Euclidean, or 1 - cosine of rows of length 1; they come as squares. Everything
// is kept in logarithms, since psi underflows for most pairs.
#pragma once

#include <span>

#include "tyto/core/matrix.hpp"
#include "tyto/math/weibull.hpp"

namespace tyto {

struct InclusionForm {
  bool libmr = false, cosine = false;
};

struct Inclusion {
  Weibull weibull;
  double edge = 0.0;  // of form libmr
};

// From squared distances to points of other classes, ascending, infinite ones aside; `multiplier`
// makes margins of distances. Without any there is no margin: psi then falls with the distance in
// units of `spread`, as exp(-(d / spread)^2) in form paper, and is 0 in form libmr.
Inclusion fit_inclusion(std::span<const float> tail, double multiplier, double spread,
                        InclusionForm form);

// How strongly a point at this squared distance is drawn in: grows with psi, and tells apart where
// psi is 0 or 1 in double. paper: -ln(-ln psi); libmr: ln(-ln(1 - psi)), below -1e5 beyond the
// edge.
double pull(const Inclusion& inclusion, double squared, InclusionForm form);

// ln(-ln psi) of a pull: falls as psi grows. 0 is psi = 1 / e.
double strangeness(double pull, InclusionForm form);

// ln(-ln P) of the mean P of several psi, given the ln(-ln psi) of each.
double mean_strangeness(std::span<const double> strange);

// The largest squared distance with psi >= level, for level in (0, 1); below 0 where there is none.
double reach(const Inclusion& inclusion, double level, InclusionForm form);

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
// A calibration method in the slot `calibrator`.
#pragma once

#include "tyto/calibration/score_calibrator.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

// The method as a part; it must outlive the spec. Each lesson refits it on the held-out samples of
// known classes that are remembered or new.
//
// The columns of known classes are calibrated given that the sample is known. Where the classifier
// has a column for `unknown`, no held-out sample is of it, so that it gets what can be said without
// any: with p the rank of its odds among those of held-out samples, and before seeing it a chance
// `unknown_prior` that a sample is unknown,
//   P(unknown) = prior e / (prior e + 1 - prior),   e = (1 - p + p ln p) / (p ln^2 p),
// e the density of p under unknown samples, spread evenly over the powers p^(a - 1) a, 0 < a < 1.
PartSpec score_calibration_spec(const CalibratorSpec& method);

// The density e above; 1/2 at p = 1, its mean over (0, 1) is 1.
double unknown_evidence(double p);

}  // namespace tyto

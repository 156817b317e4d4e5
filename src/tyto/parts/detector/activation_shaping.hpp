// SPDX-License-Identifier: Apache-2.0
// What detectors share that bend the inputs of the classifier's last layer before it judges them.
#pragma once

#include <span>
#include <vector>

#include "tyto/parts/slots.hpp"

namespace tyto {

// Columns of the largest activations, ties to the first: the share `keep` of them, counted as
// published (all less the rounded rest), at least one. In no order.
std::vector<Index> largest_activations(std::span<const double> row, double keep);

// Of those above 0: what a sum of activations is where some may be negative.
double sum_above_zero(std::span<const double> row);

// Novelty is minus the energy, log sum exp(shaped w_c + b_c), over the known classes c. In double:
// shaped activations may be exp(50) times what they were.
void score_by_energy(Evidence& evidence, const Dense<double>& shaped);

}  // namespace tyto

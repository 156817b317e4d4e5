// SPDX-License-Identifier: Apache-2.0
// Scores of a confusion matrix. Each is missing for an empty matrix: there is nothing to score.
#pragma once

#include <optional>
#include <span>

#include "tyto/measure/confusion.hpp"

namespace tyto {

// Sums and products stay exact below 4e9 samples: they fit the 64-bit mantissa of long double.

std::optional<double> accuracy(const Confusion& matrix);

// Mean over the classes that have samples of the share of them called right.
std::optional<double> balanced_accuracy(const Confusion& matrix);

// Matthews correlation of K classes (Gorodkin's R_K), in [-1, 1]. 0 where one class alone is
// actual or predicted: then nothing can correlate (the limit is 0/0, scikit-learn agrees).
std::optional<double> mcc(const Confusion& matrix);

// In nats.
std::optional<double> entropy(std::span<const Confusion::Count> counts);
std::optional<double> mutual_information(const Confusion& matrix);

// Mutual information over the mean of the two entropies, in [0, 1]; names need not agree. 1 where
// both entropies are 0: one group against one group is the same partition (as scikit-learn). 0
// where only one of them is 0.
std::optional<double> nmi(const Confusion& matrix);

}  // namespace tyto

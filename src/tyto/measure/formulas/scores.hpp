// SPDX-License-Identifier: Apache-2.0
// Scores of a confusion matrix. Each is missing for an empty matrix: there is nothing to score.
#pragma once

#include <optional>
#include <span>

#include "tyto/measure/formulas/confusion.hpp"

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

// By what mutual information is divided.
enum class EntropyMean { arithmetic, geometric, smaller, larger };

// Mutual information over a mean of the two entropies, in [0, 1]; names need not agree. 1 where
// both entropies are 0: one group against one group is the same partition. 0 where only one of
// them is 0, whatever the mean. Both as scikit-learn.
std::optional<double> nmi(const Confusion& matrix, EntropyMean mean = EntropyMean::arithmetic);

// Mutual information over the entropy of the pairs, in [0, 1]; 1 where that is 0, as nmi.
std::optional<double> information_quality_ratio(const Confusion& matrix);

// Rand index less what chance gives (Hubert and Arabie): 1 the same partition, 0 as by chance,
// below 0 worse. 1 where no pair of samples is judged differently, a single sample included.
std::optional<double> ari(const Confusion& matrix);

}  // namespace tyto

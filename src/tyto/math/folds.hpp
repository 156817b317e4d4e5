// SPDX-License-Identifier: Apache-2.0
// Parts of a calibration set that are fitted and judged in turn, and when a gain is more than
// chance.
#pragma once

#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

// A fold of 0 .. folds - 1 for each of n rows, as equal as can be, at random. Rows of a group stay
// together where there are at least as many groups as folds: samples of one subject are alike, and
// would judge a fit on others of the same subject too kindly.
std::vector<Index> fold_of(Index n, std::span<const Index> groups, Index folds, Rng rng);

// The groups of these rows; none where there are fewer than `fewest` of them.
std::vector<Index> groups_of(Rows rows, std::span<const Index> groups, Index fewest);

struct MeanGain {
  double mean = 0, error = 0;  // of the values, and its standard error; infinite of fewer than two
};

// Groups count as one each where there are any, by the sum of their values.
MeanGain mean_gain(std::span<const double> values, std::span<const Index> groups);

}  // namespace tyto

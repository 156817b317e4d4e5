// SPDX-License-Identifier: Apache-2.0
// Rows dealt into folds or drawn by share, class by class, with groups kept whole on request.
// Classes and groups are any numbers; only equality counts. Time O(rows + classes x folds).
#pragma once

#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

// The fold of each row, as scikit-learn 1.0's StratifiedKFold allots it: sort the rows by class
// (classes by first appearance), count positions i, i + folds, ... for fold i. A class gives its
// first rows to fold 0 and so on, or rows drawn with `shuffle`. Per class and in total, folds
// differ by one row at most.
std::vector<Index> stratified_folds(Rows classes, Index folds, Rng* shuffle = nullptr);

// The part of each row, groups whole. Part f should hold shares[f] of every class. Groups by
// decreasing size, ties by first appearance (with `ties`: in drawn order), each go where the sum
// over classes of squared deviations from that aim grows least, ties to the lower part. A part that
// stays empty gets the smallest group of a part that has two. Parts of share 0 get none.
std::vector<Index> group_folds(Rows classes, Rows groups, std::span<const double> shares,
                               Rng* ties = nullptr);

// True for the rows drawn: `share` of each class, rounded by largest remainder (ties by first
// appearance). A class of one row is not drawn; one of two or more has a row on each side.
// A share of 0 draws none, of 1 all.
std::vector<bool> stratified_draw(Rows classes, double share, Rng& rng);

}  // namespace tyto

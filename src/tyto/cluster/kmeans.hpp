// SPDX-License-Identifier: Apache-2.0
// Lloyd's k-means from k-means++ starts, with centres that stay and rows that belong to a group
// beforehand.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

// free: to the nearest centre. weighted: as in a mixture whose groups have one variance s^2, a
// group with the share w of the rows is nearer by -2 s^2 ln w, so that large groups do not give
// rows away to small ones beside them. even: prices on the centres (Sinkhorn and Knopp) bring the
// sizes close to each other; holds n x k distances.
enum class GroupSizes { free, weighted, even };

struct KMeansOptions {
  Index starts = 1;         // the one of least inertia is taken, ties to the earlier
  Index iterations = 100;   // at most
  double tolerance = 1e-5;  // ends once the inertia falls by less than this share
  Index trials = 0;         // candidates per k-means++ draw, the best is taken; 0: 2 + ln k
  // Centres of the first groups, which never move and may end without rows.
  const Matrix* fixed = nullptr;
  // The group a row stays in, -1: free; empty: all are free. Unless fixed, a pinned group starts at
  // the mean of its rows; the numbers up to the highest pinned all have a row or a fixed centre.
  std::span<const std::int32_t> pinned = {};
  bool draw_pinned = true;  // k-means++ may draw a pinned row and counts their distances
  bool reseed = true;       // false: an emptied group keeps its centre and is dropped at the end
  // Instead of the tolerance: ends once the square of the sum of what all centres moved falls below
  // this; 0: not.
  double least_shift = 0.0;
  GroupSizes sizes = GroupSizes::free;
};

struct KMeansResult {
  Matrix centres;
  std::vector<std::int32_t> group;  // the nearest centre of each row, ties to the lower; see sizes
  Vector distance;                  // squared, of each row to its centre
  double inertia = 0.0;             // sum of the distances
  Vector price;  // what a centre cost a row besides its distance; empty where sizes are free
  Index iterations = 0;  // assignments of the start taken
};

// Groups 0 ... k - 1, fewer where the rows differ in fewer places: k > n gives at most n. Every
// group has a row, except under a fixed centre: an emptied one moves to the row that lies furthest
// from its centre. Fixed and pinned groups count in k and come first. Equal rows and rng, equal
// answer, whatever the number of threads. O(n k d) time per iteration; memory O((n + k) d).
KMeansResult k_means(const MatrixView& rows, Index k, Rng rng, const KMeansOptions& options = {});

}  // namespace tyto

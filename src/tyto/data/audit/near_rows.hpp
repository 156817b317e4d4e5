// SPDX-License-Identifier: Apache-2.0
// Samples that are almost the same: a photograph saved twice, a window shifted by one frame.
#pragma once

#include <cstdint>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/data/audit/scan.hpp"

namespace tyto {

struct NearOptions {
  double share = 0.05;       // of the median distance; 0 looks for nothing
  Index most_rows = 50'000;  // beyond it, samples are drawn
  std::uint64_t seed = 0;    // of the draw
};

struct NearPair {
  Index sample, other;
  double share;  // their distance in medians
};

struct NearRows {
  Index samples = 0;             // looked at
  bool are_drawn = false;        // rather than all of them
  Index distinct = 0;            // of these: finite, and one of each set of equal ones
  double median = 0;             // distance from a distinct sample to the nearest other
  std::vector<NearPair> pairs;   // a sample and its nearest other, nearest pairs first
  std::vector<NearPair> across;  // one of validate or test and its nearest of train
};

// The first source, a row per sample (the mean of its frames), every column scaled to mean 0 and
// variance 1 over the distinct samples; Euclidean distances, found exactly. Samples are near when
// they lie closer than `share` times the median; equal ones are not counted here. O(n^2 d) time; a
// draw holds at most 2^25 values, and the search as many again.
NearRows find_near_rows(const Dataset& dataset, const DatasetScan& scan, const NearOptions& options,
                        Progress& progress);

}  // namespace tyto

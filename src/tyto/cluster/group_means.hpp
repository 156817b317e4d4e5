// SPDX-License-Identifier: Apache-2.0
// The means of groups: what stands for a group in the next round, for new rows, and for a score.
#pragma once

#include <optional>

#include "tyto/cluster/clusterer.hpp"
#include "tyto/cluster/row_distance.hpp"

namespace tyto {

Index group_count(const Grouping& groups);

// Sums in float32 in the order of the rows, divided in double.
Dense<double> group_means(const MatrixView& rows, const Grouping& groups);

// The group with the nearest mean for rows that were not clustered; ties to the lower group.
Grouping nearest_groups(const MatrixView& fresh, const Dense<double>& means, Metric metric);

// Mean over rows of (b - a) / max(a, b): a the distance to the mean of the others in the group (0
// for a row alone), b to the nearest other mean. With the row itself in its mean the smallest
// groups would always win. Over `sample` rows spread evenly, O(sample groups d). None for one
// group, nor in manhattan.
std::optional<double> centroid_silhouette(const MatrixView& rows, const Grouping& groups,
                                          Metric metric, Index sample = 1000);

// Merges the two groups whose means are closest until `count` are left; ties to the lower groups.
// O(k d) for a merge among k groups. Timed: see RowDistance.
Grouping merge_closest(const MatrixView& rows, const Grouping& groups, Index count, Metric metric,
                       bool timed = false);

}  // namespace tyto

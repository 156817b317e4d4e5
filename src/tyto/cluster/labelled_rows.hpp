// SPDX-License-Identifier: Apache-2.0
// What semi-supervised methods have in common: rows that belong to the group of their class, and
// how many groups there are besides.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "tyto/cluster/clusterer.hpp"
#include "tyto/cluster/kmeans.hpp"

namespace tyto {

struct GroupCountOptions {
  Index groups = 0;
  Index max_groups = 200;
  std::string estimate = "golden";

  void describe(OptionVisitor& v);
};

struct LabelledRows {
  std::vector<std::int32_t> pinned;  // by row: the group of its class, -1: free
  Index classes = 0;                 // the first groups, in the order of their labels
  Index groups = 0;                  // of which the classes are a part
};

// The number of groups is the one asked for, never below that of the labelled classes, or else
// estimated. What a user should know goes into the notes. The task has rows.
LabelledRows labelled_rows(const ClusterTask& task, const GroupCountOptions& options,
                           std::vector<std::string>& notes, Work& work);

// Of the rows labelled so, those that lie right under the best one-to-one assignment of groups to
// classes.
std::int64_t rows_right(std::span<const std::int32_t> group, std::span<const std::int32_t> pinned,
                        Index classes);

// By row the best column, or the group it is pinned to; ties to the lower.
std::vector<std::int32_t> best_columns(const Matrix& scores, std::span<const std::int32_t> pinned);

// The same grouping numbered by first appearance, its scores in that order, those of groups without
// rows left out. A note says where there are fewer than asked for.
Partitions partition_of(const std::vector<std::int32_t>& group, GroupScores scores, Index asked,
                        std::vector<std::string> notes);

// k-means with labelled rows pinned and the other centres drawn among the free ones: where the
// methods begin.
KMeansResult pinned_start(const MatrixView& rows, const LabelledRows& labelled, Index starts,
                          const Rng& rng);

// The setting under which all labelled rows are found again best when half of the classes lose
// their labels, ties to the earlier; the usual one where there are too few classes to hide any.
// `group` says where every row falls from these centres, with these labels and a setting.
double best_with_hidden_labels(
    const MatrixView& rows, const LabelledRows& labelled, Index starts, const Rng& rng,
    double usual, std::initializer_list<double> settings,
    const std::function<std::vector<std::int32_t>(const LabelledRows& hidden, const Matrix& centres,
                                                  double setting)>& group);

}  // namespace tyto

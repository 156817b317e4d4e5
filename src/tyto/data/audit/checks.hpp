// SPDX-License-Identifier: Apache-2.0
// The checks that `tyto data show` and `tyto data audit` share, and those the audit adds. Each
// finding carries at most `limit` examples.
#pragma once

#include <vector>

#include "tyto/data/audit/finding.hpp"
#include "tyto/data/audit/scan.hpp"

namespace tyto {

// Labels that are alike or carry stray blanks, rare and untrained classes, unlabelled samples.
std::vector<Finding> check_labels(const Dataset& dataset, Index limit);

// Groups on both sides of a split.
std::vector<Finding> check_groups(const Dataset& dataset, Index limit);

// Bad values and constant columns of every source.
std::vector<Finding> check_values(const Dataset& dataset, const DatasetScan& scan, Index limit);

// Equal samples: in one split, across splits, with different labels.
std::vector<Finding> check_repeats(const Dataset& dataset, const DatasetScan& scan, Index limit);

// All of the above, problems first.
std::vector<Finding> common_findings(const Dataset& dataset, const DatasetScan& scan, Index limit);

// The audit's own: classes that a split lacks or has once, ids and groups that are alike.
std::vector<Finding> check_class_splits(const Dataset& dataset, Index limit);
std::vector<Finding> check_names(const Dataset& dataset, Index limit);
std::vector<Finding> check_equal_columns(const DatasetScan& scan, Index limit);

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
// The increments of a series of releases: those up to the start at increment 0, each later one
// spread, as in KOWL-718.
//
// Each row goes to the split that its list's split becomes. After the start validate rows are dealt
// out apart from test rows (`separate`) and then, with `union`, put in front of them. The start
// keeps its own splits.
#pragma once

#include <string>
#include <vector>

#include "tyto/data/releases/split_plan.hpp"
#include "tyto/world/increments/increments.hpp"

namespace tyto {

struct ReleaseIncrements {
  // Annotations as the lists call id, start and end (-1: not known), "list_" in front where the
  // manifest has a column of that name, and dataset, the release.
  Series series;
  Schedule schedule;
  std::vector<std::string> without_train;  // releases ordered by all their labelled rows
};

// Rows of a block keep the order of the lists. Throws Error(data) where the start trains fewer than
// two classes or nothing tests.
ReleaseIncrements build_release_increments(const UnifiedReleases& unified, const SplitPlan& plan,
                                           const Rng& rng);

std::string manifest_csv(const ReleaseIncrements& split, const SplitPlan& plan);

// "label,unified_label,in_NAME,...,first_increment": a row per name listed; the last is empty for a
// class without a sample.
std::string classes_csv(const UnifiedReleases& unified, const SplitPlan& plan,
                        const Schedule& schedule);

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
// The increments of KOWL-718: Kinetics-400 at the start, Kinetics-600 and Kinetics-700 spread.
//
// Validation rows of k700 test, since its test labels were never published. Those of k600 are
// dealt out apart from its test rows (`separate`, Table 2 of the paper) and then, with
// `unite_test`, put in front of them (Table 1, which is the sum of both). k400 keeps its own
// splits.
#pragma once

#include <string>
#include <vector>

#include "tyto/data/kinetics/kinetics.hpp"
#include "tyto/world/increments/increments.hpp"

namespace tyto {

struct Kowl718Options {
  Index increments = 5;  // per release after the start
  std::string schedule = "text";
  bool unite_test = true;
};

struct Kowl718 {
  Series series;  // annotations youtube_id, time_start, time_end (-1: not known), dataset
  Schedule schedule;
  std::vector<std::string> without_train;  // releases ordered by all their labelled rows
};

// Rows of a block keep the order of the lists. Throws Error(data) where k400 trains fewer than two
// classes or nothing tests.
Kowl718 build_kowl718(const UnifiedKinetics& unified, const Kowl718Options& options,
                      const Rng& rng);

std::string manifest_csv(const Kowl718& split);

// "label,unified_label,in_k400,in_k600,in_k700,first_increment": a row per name listed; the last is
// empty for a class without a sample.
std::string classes_csv(const UnifiedKinetics& unified, const Schedule& schedule);

}  // namespace tyto

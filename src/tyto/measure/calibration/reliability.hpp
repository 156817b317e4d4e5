// SPDX-License-Identifier: Apache-2.0
// The reliability benchmark's look at a run (Roitberg et al. 2020): confidence against accuracy for
// all classes, for the more frequent half of them and for the others.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/measure/calibration/confidence.hpp"
#include "tyto/measure/phase_view.hpp"

namespace tyto {

constexpr std::array<std::string_view, 3> kClassParts{"all", "common", "rare"};

using ClassCounts = std::map<std::string, Index, std::less<>>;

ClassCounts class_counts(const Truth& truth);  // samples of the data by label

// Places in view.names of the known classes: all, the more frequent half (with the middle one) and
// the others, as kClassParts; by `counts`, ties by name.
std::array<std::vector<Index>, 3> class_parts(const PhaseView& view, const ClassCounts& counts);

// The samples of view.sure() whose class is in each of these parts.
std::array<ScoredSamples, 3> samples_by_part(const PhaseView& view, const ClassCounts& counts);

struct ReliabilityRow {
  Index step = 0;
  std::string phase, split, classes;  // "all", "common", "rare"
  NamedValues values;
};

// All measures of confidence of every phase of a record. Holds one phase at a time.
std::vector<ReliabilityRow> reliability_rows(const RunRecord& record);

}  // namespace tyto

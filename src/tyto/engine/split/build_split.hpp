// SPDX-License-Identifier: Apache-2.0
// From the lists that a plan names to the increments of a benchmark, and these as files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/world/manifest.hpp"
#include "tyto/world/release_increments.hpp"

namespace tyto {

struct BuiltSplit {
  UnifiedReleases unified;
  ReleaseIncrements split;
  std::vector<IncrementCounts> counts;
  std::optional<std::vector<Index>> possible;  // classes clips can carry, up to each release
  Index blacklist_lines = 0;
  std::vector<std::string> notes;  // what is odd and yet may be meant, a sentence each
};

// Throws Error naming file, row or key, rule and value: a release without lists or one that shows
// nothing, a rename to a name that no list has, strays of the black list where they are refused.
BuiltSplit build_split(const SplitPlan& plan, Progress& progress);

double split_steps(const SplitPlan& plan);  // that build_split and write_split advance

// manifest.csv, classes.csv, counts.csv and split.html. The folder appears whole or not at all.
void write_split(const SplitPlan& plan, const BuiltSplit& built, const std::filesystem::path& out,
                 Progress& progress);

}  // namespace tyto

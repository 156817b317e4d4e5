// SPDX-License-Identifier: Apache-2.0
// In what two runs differ, and what came of it. Of one training each, the answer is about these two
// models; of several seeds each, about the methods.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/engine/compare/config_difference.hpp"
#include "tyto/measure/intervals/bootstrap.hpp"

namespace tyto {

struct ComparisonOptions {
  std::string arm;                    // empty: every one that both have
  std::vector<std::string> measures;  // empty: the headline
  std::string split = "test";
  bool common = false;  // where the samples differ: those that both have
  BootstrapOptions bootstrap = {};
  bool intervals = true;
};

struct ComparedMeasure {  // one measure of one arm, over all increments
  std::string arm, title, phase, view, measure;
  Index samples = 0;                                              // of a training of the first
  std::optional<double> first, second, difference, low, high, p;  // difference: second - first
};

struct RunComparison {
  std::vector<ConfigDifference> configuration, machine;
  std::vector<std::string> arms, only_first, only_second;
  std::vector<std::uint64_t> first_seeds, second_seeds;  // compared, one a training
  bool paired = false;                                   // seed by seed
  std::vector<ComparedMeasure> outcome;
  std::vector<std::string> warnings;  // what else sets the compared arms apart

  [[nodiscard]] bool is_about_methods() const { return first_seeds.size() > 1; }

  // What low, high and p say, and what they do not: sentences for people.
  std::string interval, claim;
};

// Several seeds go seed by seed where the runs share two or more. Throws Error(config) for one
// training beside several, or an arm or measure that does not exist; Error(state) for a run that is
// not finished or whose record does not fit together; DifferentSamples where samples of a pair
// differ.
RunComparison compare_runs(const std::filesystem::path& first, const std::filesystem::path& second,
                           const ComparisonOptions& options, Progress& progress);

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
// One experiment as written in YAML: data, a world made of them, a protocol, and arms to compare.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/config.hpp"
#include "tyto/core/options.hpp"
#include "tyto/engine/arm/limits.hpp"
#include "tyto/engine/run/prior_knowledge.hpp"
#include "tyto/engine/search/search.hpp"
#include "tyto/predictor/config.hpp"
#include "tyto/record/phase_recorder.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {

// Where a run starts: at the beginning, unless a run or a model is named.
struct StartFrom {
  std::string run;  // folder of one that kept its state after the increment before
  Index increment = 1;
  std::string arm;  // of that run, for every arm of this one; "": the arm of the same name
  // Instead: a saved predictor that every arm begins with. It has learned whatever start there is;
  // under a protocol with `starts_later` the run begins at the increment.
  std::string model = {};
};

struct Experiment {
  std::string name, summary;
  PriorKnowledge prior_knowledge;  // what was learned outside the data; "none" must be true
  std::uint64_t seed = 1;
  std::vector<std::uint64_t> seeds;         // several: a run each, and the spread; else empty
  std::optional<std::uint64_t> world_seed;  // of the world alone; none: `seed`
  // A run for each fold of the world's split, the n-th with the n-th of the seeds, all in the world
  // of `seed`: every sample then tests once.
  bool each_fold = false;
  std::vector<std::string> data;  // names; several are a chronological series
  // Instead: datasets that take turns, the n-th with the n-th of the seeds, as official splits do.
  std::vector<std::string> each;
  ConfigNode world, protocol;  // resolved: `kind` and every option
  std::vector<LabelBudget> feedback;
  std::vector<PredictorConfig> predictors;
  std::vector<std::string> arms;  // those that run, by name; none: every predictor at every budget
  RecordOptions record;
  Limits limits;
  StartFrom from;
  SearchOptions search;
  Index novel_again = 0;  // measured besides: a class not shown for so many increments; 0: not
  bool report = true;     // report.html at the end

  [[nodiscard]] std::uint64_t seed_of_world() const { return world_seed.value_or(seed); }
};

// A predictor at a budget. Arms of one predictor share its random streams, so that they differ by
// the feedback alone.
struct Arm {
  std::string name;  // "ann-50pct", or "ann" where no labels are asked for; a folder name
  PredictorConfig predictor;
  LabelBudget budget;
};

// Throws Error(config) with every problem of a level, a line each.
Experiment read_experiment(const ConfigNode& node);
ConfigNode write_experiment(const Experiment& experiment);
std::vector<OptionHelp> experiment_options();

std::string budget_text(const LabelBudget& budget);  // "50 %", "1000 labels"

std::vector<Arm> arms_of(const Experiment& experiment);

}  // namespace tyto

// Example:
//
//   Experiment experiment = read_experiment(load_yaml("mine.yaml"));
//   experiment.seeds = {1, 2, 3};

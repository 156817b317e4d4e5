// SPDX-License-Identifier: Apache-2.0
// Runs an experiment into a folder, once or for several seeds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/engine/run/experiment.hpp"
#include "tyto/measure/headline.hpp"

namespace tyto {

struct RunOptions {
  std::filesystem::path folder;
  bool resume = false;       // continue the run that is there; none has begun: begin it
  bool replace = false;      // remove the run that is there
  bool any_machine = false;  // resume although threads or BLAS kernel differ; bytes may differ too
  bool report = true;        // write report.html, unless the experiment says not to
  int jobs = 1;              // arms at a time, each in a process of its own
  // A program and its first arguments; given a run folder and an arm it runs that arm. For jobs.
  std::vector<std::string> arm_command;
};

struct ArmOutcome {
  std::string arm, predictor, feedback;
  std::vector<HeadlineNumber> headline;                         // over several seeds: means
  std::vector<MeasureRow> rows;                                 // of one seed; else empty
  std::vector<std::pair<std::string, std::string>> forms = {};  // of its parts, by slot
  std::string prior_knowledge = "";
};

struct RunOutcome {
  std::filesystem::path folder;
  std::string world;  // what was shown, a few lines
  std::vector<ArmOutcome> arms;
  std::vector<std::string> warnings;  // what went wrong and was mended
  std::vector<std::string> remarks;   // what the arms came to: frames remembered
  std::filesystem::path report;       // the page; empty: none was wanted
};

// Several seeds: each has a run of its own, the folder seed-<seed>, as if it had been run alone,
// and the spread over them is in spread.csv. Whatever can be checked is checked before the folder
// is touched. report.html comes last, from what is in the folder. A run that is cut short, by
// Cancelled, an Error or a kill, is continued by `resume` and ends with the same bytes.
RunOutcome run_experiment(const Experiment& experiment, const Catalog& catalog,
                          const RunOptions& options, Progress& progress);

}  // namespace tyto

// Example:
//
//   Progress progress(stderr);
//   RunOptions options;
//   options.folder = "runs/mine";
//   const RunOutcome outcome = run_experiment(read_experiment(load_yaml("mine.yaml")),
//                                             Catalog::standard(), options, progress);

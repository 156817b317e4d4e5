// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/run/run.hpp"

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/engine/page/report_source.hpp"
#include "tyto/engine/run/run_place.hpp"
#include "tyto/engine/run/seed_run.hpp"
#include "tyto/measure/intervals/spread.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {

namespace {

// Arms of equal name together: means with their deviations, and every row's spread.
ArmOutcome pooled(const std::vector<RunOutcome>& runs, std::size_t arm,
                  std::vector<ArmSpread>& spreads) {
  ArmOutcome pooled = runs.front().arms[arm];
  std::vector<std::vector<MeasureRow>> rows;
  for (std::size_t number = 0; number < pooled.headline.size(); ++number) {
    std::vector<std::optional<double>> values;
    for (const RunOutcome& run : runs) {
      values.push_back(run.arms[arm].headline[number].value);
    }
    const Spread spread = spread_of(values);
    pooled.headline[number].value = spread.mean;
    pooled.headline[number].deviation = spread.deviation;
  }
  for (const RunOutcome& run : runs) {
    rows.push_back(run.arms[arm].rows);
  }
  spreads.push_back(
      {{{"arm", pooled.arm}, {"predictor", pooled.predictor}, {"feedback", pooled.feedback}},
       spread_rows(rows)});
  pooled.rows.clear();
  return pooled;
}

// The experiment of one of the seeds.
Experiment one_turn(const Experiment& experiment, std::size_t turn) {
  Experiment one = experiment;
  one.seed = experiment.seeds[turn];
  one.seeds.clear();
  if (!experiment.each.empty()) {
    one.data = {experiment.each[turn]};
    one.each.clear();
  }
  if (experiment.each_fold) {
    one.each_fold = false;
    one.world_seed = experiment.seed_of_world();
    ConfigNode split = *one.world.find("split");
    split.put("fold", ConfigNode::scalar(fmt::to_string(turn)));
    one.world.put("split", std::move(split));
  }
  return one;
}

// Of data that have splits of their own every fold is the same.
void expect_other_folds(const RunFolder& first, const RunFolder& second) {
  if (read_file(first.file("manifest.csv")) == read_file(second.file("manifest.csv"))) {
    throw Error(ErrorKind::config,
                "each_fold: the first two folds show the same samples in the same splits; the data "
                "have splits of their own, which the world keeps, or no seed draws them");
  }
}

std::string world_text(const Experiment& experiment, const std::vector<RunOutcome>& runs) {
  const std::string& world = runs.front().world;
  if (!experiment.each.empty()) {
    return fmt::format("{} datasets in turn; the world of {}:\n{}", runs.size(),
                       experiment.each.front(), world);
  }
  return experiment.each_fold
             ? fmt::format("{} folds in turn; the world of the first:\n{}", runs.size(), world)
             : fmt::format("{} seeds; the world of seed {}:\n{}", runs.size(),
                           experiment.seeds.front(), world);
}

// A folder that holds a run per seed, and what they come to.
RunOutcome run_seeds(const Experiment& experiment, const Catalog& catalog,
                     const RunOptions& options, Progress& progress) {
  const RunFolder folder(options.folder);
  const std::string yaml = to_yaml(write_experiment(experiment));
  RunInfo info = info_of(experiment);
  check_place(folder, yaml, info, options);
  make_folder(folder.path());
  const FolderLock lock(folder.path());
  remove_unfinished(folder.path());
  if (!options.resume) {
    clear(folder);
    write_file(folder.file("experiment.yaml"), yaml);
    write_run_info(folder.file("run.json"), info);
  }
  std::vector<RunOutcome> runs;
  for (std::size_t turn = 0; turn < experiment.seeds.size(); ++turn) {
    RunOptions own = options;
    own.folder = folder.seed(experiment.seeds[turn]).path();
    own.resume = RunFolder(own.folder).exists();
    runs.push_back(run_seed(one_turn(experiment, turn), catalog, own, progress));
    if (experiment.each_fold && turn == 1) {
      expect_other_folds(folder.seed(experiment.seeds[0]), RunFolder(own.folder));
    }
  }
  RunOutcome outcome{folder.path(), world_text(experiment, runs), {}, {}, runs.front().remarks, {}};
  std::vector<ArmSpread> spreads;
  for (std::size_t arm = 0; arm < runs.front().arms.size(); ++arm) {
    outcome.arms.push_back(pooled(runs, arm, spreads));
  }
  for (const RunOutcome& run : runs) {
    outcome.warnings.insert(outcome.warnings.end(), run.warnings.begin(), run.warnings.end());
  }
  write_file(folder.file("spread.csv"), csv_text(long_table(spreads)));
  info.done = true;
  info.arms = outcomes_of(outcome);
  write_run_info(folder.file("run.json"), info);
  return outcome;
}

}  // namespace

RunOutcome run_experiment(const Experiment& experiment, const Catalog& catalog,
                          const RunOptions& given, Progress& progress) {
  RunOptions options = given;
  options.resume = given.resume && RunFolder(given.folder).exists();  // else killed too early
  RunOutcome outcome = experiment.seeds.empty() ? run_seed(experiment, catalog, options, progress)
                                                : run_seeds(experiment, catalog, options, progress);
  if (experiment.report && options.report) {
    try {
      outcome.report = write_run_report(outcome.folder, catalog, progress);
    } catch (const Error& problem) {  // the run itself is done and whole
      outcome.warnings.push_back(fmt::format("no report was made: {}; `tyto report {}` tries again",
                                             problem.what(), outcome.folder.string()));
    }
  }
  return outcome;
}

}  // namespace tyto

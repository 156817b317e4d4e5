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
    const std::uint64_t seed = experiment.seeds[turn];
    Experiment one = experiment;
    one.seed = seed;
    one.seeds.clear();
    if (!experiment.each.empty()) {
      one.data = {experiment.each[turn]};
      one.each.clear();
    }
    RunOptions own = options;
    own.folder = folder.seed(seed).path();
    own.resume = RunFolder(own.folder).exists();
    runs.push_back(run_seed(one, catalog, own, progress));
  }
  RunOutcome outcome{folder.path(),
                     experiment.each.empty()
                         ? fmt::format("{} seeds; the world of seed {}:\n{}", runs.size(),
                                       experiment.seeds.front(), runs.front().world)
                         : fmt::format("{} datasets in turn; the world of {}:\n{}", runs.size(),
                                       experiment.each.front(), runs.front().world),
                     {},
                     {},
                     runs.front().remarks,
                     {}};
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

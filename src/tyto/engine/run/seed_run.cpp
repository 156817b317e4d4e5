// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/run/seed_run.hpp"

#include "tyto/engine/arm/arm_processes.hpp"
#include "tyto/engine/arm/arm_run.hpp"
#include "tyto/engine/run/collect.hpp"
#include "tyto/engine/run/prepared_run.hpp"

namespace tyto {

namespace {

// What is shown, for whoever reads the table below it.
std::string describe_world(const WorldFacts& facts) {
  std::string text = facts.text;
  for (const std::string& note : facts.notes) {
    text += note + "\n";
  }
  return text;
}

}  // namespace

RunOutcome run_seed(const Experiment& experiment, const Catalog& catalog, const RunOptions& options,
                    Progress& progress) {
  const PreparedRun run = prepare_run(experiment, catalog, options, progress);
  progress.begin(experiment.name, run.samples_predicted() * static_cast<double>(run.arms.size()));
  if (options.jobs > 1) {
    run_arms_in_processes(run, options, progress);
  } else {
    for (const Arm& arm : run.arms) {
      run_arm(run, arm, progress);
    }
  }
  RunOutcome outcome = collect_run(run.folder.path(), describe_world(run.facts), progress);
  progress.end();
  return outcome;
}

}  // namespace tyto

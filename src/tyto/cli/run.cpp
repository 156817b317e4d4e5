// SPDX-License-Identifier: Apache-2.0
// tyto run EXPERIMENT.yaml
#include "tyto/engine/run/run.hpp"

#include <cstdio>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/settings.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/engine/run/place_error.hpp"
#include "tyto/record/run_folder.hpp"
#include "tyto/report/headline_table.hpp"

namespace tyto {

namespace {

struct RunArguments {
  std::string experiment, out;
  std::vector<std::string> set, data;
  std::int64_t seed = -1;
  int threads = 0, jobs = 1;
  bool resume = false, force = false, any_machine = false, quiet = false, no_report = false,
       no_table = false;
};

std::string_view remedy(PlaceProblem problem) {
  switch (problem) {
    case PlaceProblem::taken:
      return "--resume continues it, --force replaces it, --out writes elsewhere";
    case PlaceProblem::other_experiment: return "--force replaces it, --out writes elsewhere";
    case PlaceProblem::other_machine:
      return "--threads may help, --any-machine resumes all the same";
    case PlaceProblem::other_format:
    case PlaceProblem::damaged: return "--force starts the run anew";
  }
  return "";
}

RunOutcome run_or_tell(const Experiment& experiment, const Catalog& catalog,
                       const RunOptions& options, Progress& progress) {
  try {
    return run_experiment(experiment, catalog, options, progress);
  } catch (const PlaceError& error) {
    throw Error(error.kind(), fmt::format("{}; {}", error.what(), remedy(error.problem())));
  }
}

void run(const RunArguments& given) {
  ConfigNode node = load_yaml(given.experiment);
  for (const std::string& assignment : given.set) {
    apply_setting(node, assignment);
  }
  if (given.seed >= 0) {
    set_path(node, "seed", std::to_string(given.seed), "--seed");
    node.remove("seeds");
  }
  if (given.threads > 0) {
    set_thread_count(given.threads);
  }
  const Experiment experiment = read_experiment(node);
  RunOptions options;
  options.folder = given.out.empty() ? "runs/" + experiment.name : given.out;
  options.resume = given.resume;
  options.replace = given.force;
  options.any_machine = given.any_machine;
  options.report = !given.no_report;
  options.jobs = given.jobs;
  options.arm_command = {std::filesystem::read_symlink("/proc/self/exe").string(), "run-arm"};
  for (const std::string& folder : given.data) {
    options.arm_command.insert(options.arm_command.end(), {"--data", folder});
  }
  const auto catalog =
      Catalog::standard(std::vector<std::filesystem::path>(given.data.begin(), given.data.end()));

  Progress::catch_interrupts();
  Progress progress(given.quiet ? nullptr : stderr);
  if (options.resume && !RunFolder(options.folder).exists()) {
    std::cerr << fmt::format("tyto: {}: no run has begun there; starting from the beginning\n",
                             options.folder.string());
  }
  const RunOutcome outcome = run_or_tell(experiment, catalog, options, progress);
  for (const std::string& warning : outcome.warnings) {
    std::cerr << "tyto: " << warning << "\n";
  }

  if (given.no_table) {
    return;
  }
  std::vector<HeadlineArm> arms;
  for (const ArmOutcome& arm : outcome.arms) {
    arms.push_back({arm.predictor, arm.feedback, arm.headline});
  }
  std::cout << outcome.world << "\n" << headline_table(arms);
  for (const std::string& remark : outcome.remarks) {
    std::cout << remark << "\n";
  }
  std::cout << fmt::format("\nEverything is in {}/ ({} has every number, by increment)\n",
                           outcome.folder.string(),
                           experiment.seeds.empty() ? "measures.csv" : "spread.csv");
  if (!outcome.report.empty()) {
    std::cout << fmt::format("The report, for a browser: {}\n", outcome.report.string());
  }
}

}  // namespace

void add_run_command(CLI::App& app) {
  auto given = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Run an experiment and print its outcome");
  command
      ->add_option("experiment", given->experiment,
                   "YAML file; `tyto explain experiment` "
                   "tells its keys")
      ->required();
  command->add_option("--set", given->set, "Change a value of the file: key=value, dots descend")
      ->allow_extra_args(false);
  command->add_option("--seed", given->seed, "Seed of everything random")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--threads", given->threads, "Threads; the same number, the same bytes")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--jobs", given->jobs,
                   "Arms at a time, each in a process of its own; the same bytes. Threads are per "
                   "process: two cores want --jobs 2 --threads 1")
      ->check(CLI::Range(1, 1024));
  command->add_option("--out", given->out, "Folder of the run (default: runs/<name>)");
  command->add_option("--data", given->data, "Folder with datasets; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--resume", given->resume, "Continue a run that was cut short, or begin it");
  command->add_flag("--force", given->force, "Replace a run that is there");
  command->add_flag("--any-machine", given->any_machine,
                    "Resume although threads or BLAS differ; the bytes may differ too");
  command->add_flag("--no-report", given->no_report,
                    "Leave report.html out; tyto report makes it later");
  command->add_flag("--no-table", given->no_table, "Print nothing at the end");
  command->add_flag("--quiet", given->quiet, "No progress");
  command->footer(
      "Example: tyto run experiments/quickstart.yaml --set world.increments=4 --seed 7");
  command->callback([given] { run(*given); });
}

}  // namespace tyto

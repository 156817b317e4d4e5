// SPDX-License-Identifier: Apache-2.0
// tyto measure TARGET [TARGET2]: every measure of a run or of anyone's predictions.
#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tyto/cli/column_option.hpp"
#include "tyto/cli/commands.hpp"
#include "tyto/cli/measure_head.hpp"
#include "tyto/cli/measure_predictions.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

void add_table_options(CLI::App* command, MeasureArguments& given) {
  const std::string group = "Columns of a table";
  command
      ->add_option("--known", given.known,
                   "Classes known when predicting: A,B,C; a file with one a line; or a .csv with "
                   "the columns label, increment and phase (known from then on)")
      ->group(group);
  const auto column = [&](const char* name, std::string& value, const char* help) {
    command->add_option(name, value, help)->group(group);
  };
  column("--id", given.columns.id, "Name of the sample (standard: id)");
  column("--true", given.columns.truth, "Actual class (standard: label, true, actual or target)");
  column("--labels", given.labels,
         "Table or dataset with the actual classes (--true names its column), where the "
         "predictions have none, as those of `tyto predict`; by id, else by number of the row");
  column("--predicted", given.columns.predicted, "Decision (standard: predicted or prediction)");
  column("--probability", given.probability,
         "How the columns of probabilities begin (standard: p_, else every column left if there "
         "is no decision)");
  column("--novelty", given.columns.novelty, "Novelty score (standard: novelty or score)");
  column("--increment", given.columns.increment, "Increment (standard: increment or step)");
  column("--phase-column", given.columns.phase, "Phase (standard: phase)");
  column("--split-column", given.columns.split, "Split (standard: split)");
}

void add_resampling_options(CLI::App* command, MeasureArguments& given) {
  const std::string group = "Intervals";
  command
      ->add_option("--bootstrap", given.bootstrap,
                   "Resamples for intervals (standard: none; 1000 for a difference)")
      ->check(CLI::Range(Index{0}, Index{1'000'000}))
      ->group(group);
  command->add_option("--level", given.level, "Of the intervals (standard: 0.95)")->group(group);
  command->add_flag("--stratify", given.stratify, "Keep the number of samples of every class")
      ->group(group);
  command
      ->add_option("--by-group", given.by_group,
                   "Draw whole groups of samples with the same value of this column: subjects, "
                   "videos")
      ->group(group);
  command->add_option("--seed", given.seed, "Of the resampling (standard: 1)")->group(group);
}

void measure_scores(const MeasureArguments& given) {
  if (given.targets.size() != 2) {
    throw Error(ErrorKind::config, "--calibration takes two files: LOGITS LABELS");
  }
  CalibrationCall call = given.scores;
  call.logits = given.targets[0];
  call.labels = given.targets[1];
  call.out = given.out;
  call.json = given.json;
  call.csv = given.csv;
  call.quiet = given.quiet;
  call.per_class = given.per_class;
  call.bootstrap = {
      .replicates = std::max<Index>(0, given.bootstrap), .level = given.level, .seed = given.seed};
  measure_calibration(call);
}

BootstrapOptions paired_resampling(const MeasureArguments& given) {
  return {.replicates = given.bootstrap < 0 ? kPairedReplicates : given.bootstrap,
          .level = given.level,
          .seed = given.seed};
}

void measure_tests(const MeasureArguments& given) {
  ProgrammeCall call = given.programme;
  call.targets = given.targets;
  call.data = given.data;
  call.arm = given.arm;
  call.only = given.only;
  call.out = given.out;
  call.json = given.json;
  call.bootstrap = paired_resampling(given);
  measure_programme(call);
}

void measure_own_classes(const MeasureArguments& given) {
  measure_head({given.head,
                given.only.split,
                {given.data.begin(), given.data.end()},
                given.json,
                paired_resampling(given)});
}

void measure_novelty(const MeasureArguments& given) {
  const BootstrapOptions bootstrap{
      .replicates = std::max<Index>(0, given.bootstrap), .level = given.level, .seed = given.seed};
  measure_detection(given.detection, {given.targets, given.out, given.by_group, given.arm,
                                      given.json, given.csv, given.quiet, bootstrap});
}

}  // namespace

void add_measure_command(CLI::App& app) {
  auto given = std::make_shared<MeasureArguments>();
  CLI::App* command =
      app.add_subcommand("measure", "Score a run or anyone's predictions, or compare two");
  command
      ->add_option("target", given->targets,
                   "Folder of a run or CSV file of predictions; with two the differences are "
                   "measured")
      ->expected(1, 2);
  command->add_option("--arm", given->arm, "Arm of the run (standard: all)");
  command->add_option("--arm2", given->arm2, "Arm of the second run, or of the same one");
  command->add_option("--measures", given->measures, "These only, with commas between them")
      ->delimiter(',');
  command->add_option("--split", given->only.split, "This split only");
  command->add_option("--phase", given->only.phase, "This phase only: pre or post");
  command
      ->add_option("--novel-again", given->novel_again,
                   "Of a run: by an evaluator to whom a class is novel again that was not shown "
                   "in the last so many increments (standard: as the run's novel_again)")
      ->check(CLI::Range(Index{1}, Index{1'000'000'000}));
  command->add_option("--by", given->by,
                      "On groups of samples by this column; COLUMN:3 cuts a number into thirds");
  command->add_option(
      "--annotations", given->annotations,
      "Where the column of --by or --by-group is: a CSV file with ids, or a dataset");
  command->add_option("--data", given->data, "Folder with datasets; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--per-class", given->per_class,
                    "Precision, recall, F1 and what was forgotten of every class");
  command->add_option("--confusion", given->confusion, "Write the confusion matrices to this CSV");
  command->add_flag("--common", given->common, "Compare two on the samples they share");
  add_table_options(command, *given);
  add_resampling_options(command, *given);
  add_calibration_options(command, given->calibration, given->scores);
  add_programme_options(command, given->programme);
  add_tasks_options(command, given->tasks);
  add_detection_options(command, given->detection);
  add_head_options(command, given->head);
  CLI::Option* json = command->add_flag("--json", given->json, "Every value, for programs");
  command->add_flag("--csv", given->csv, "Every value, as measures.csv")->excludes(json);
  command->add_option("--out", given->out, "Write the answer to this file");
  command->add_option("--threads", given->threads, "Threads; any number gives the same values")
      ->check(CLI::Range(1, 1024));
  command->add_flag("--quiet", given->quiet, "No progress and no notes besides --csv and --json");
  command->footer(
      "Example: tyto measure predictions.csv --known known.txt --bootstrap 1000\n"
      "         tyto measure answers.csv --labels new.csv\n"
      "         tyto measure runs/quickstart --by label --phase post\n"
      "         tyto measure mine.csv theirs.csv --known known.txt\n"
      "         tyto measure --calibration logits.csv labels.csv --bins 10 --json\n"
      "         tyto measure --sail-on results --data tests --baseline SESSION\n"
      "         tyto measure --matrix accuracies.csv --classes 11,10,10 --joint joint.csv\n"
      "         tyto measure --head features --split test\n"
      "         tyto measure --detection scores.csv --score mine --truth novel --cost 10:1 --prior "
      "0.01\n"
      "         tyto measure --detection runs/detect --episodes groups");
  CLI::Option* probability = command->get_option("--probability");
  command->callback([given, probability] {
    if (probability->count() > 0) {
      given->columns.probability = given->probability;
    }
    if (given->threads > 0) {
      set_thread_count(given->threads);
    }
    Progress::catch_interrupts();
    if (given->programme.is_asked()) {
      measure_tests(*given);
      return;
    }
    if (!given->head.empty()) {
      measure_own_classes(*given);
      return;
    }
    if (given->tasks.is_asked()) {
      measure_tasks(given->tasks,
                    {given->targets, given->out, given->json, given->csv, given->quiet});
      return;
    }
    if (given->detection.is_asked()) {
      measure_novelty(*given);
      return;
    }
    if (given->targets.empty()) {
      throw Error(ErrorKind::config, "target is required: a run, or a CSV file of predictions");
    }
    if (given->calibration) {
      measure_scores(*given);
      return;
    }
    measure_predictions(*given);
  });
}

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/run/seed_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "tyto/core/archive.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files.hpp"
#include "tyto/data/audit/finite.hpp"
#include "tyto/engine/run/arm_run.hpp"
#include "tyto/engine/run/run_info.hpp"
#include "tyto/engine/run/run_place.hpp"
#include "tyto/engine/search/trial.hpp"
#include "tyto/measure/calibration/reliability.hpp"
#include "tyto/measure/table.hpp"
#include "tyto/measure/tables/render.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

struct StoreShelf final : Shelf {
  std::shared_ptr<const FeatureStore> store;

  [[nodiscard]] std::shared_ptr<const FeatureStore> find(std::string_view digest) const override {
    return store->digest() == digest ? store : nullptr;
  }
};

// What the run is made of, so that it can be told later whether data are the same.
std::vector<RunInfo::Data> data_of(const std::vector<Dataset>& datasets) {
  std::vector<RunInfo::Data> all;
  for (const Dataset& dataset : datasets) {
    const auto origin = dataset.about.find("origin");
    all.push_back({dataset.name, dataset.store == nullptr ? "" : dataset.store->digest(),
                   origin == dataset.about.end() ? "" : origin->second, dataset.table.size()});
  }
  return all;
}

RunInfo::Data simulated(const Experiment& experiment, const BuiltWorld& world) {
  return {experiment.world.find("kind")->text, world.store()->digest(), "simulated",
          static_cast<Index>(world.truth().label.size())};
}

// What is shown, for whoever reads the table below it.
std::string describe(const BuiltWorld& world) {
  std::string text = counts_text(world.counts());
  for (const std::string& note : world.notes()) {
    text += note + "\n";
  }
  return text;
}

double samples_evaluated(const BuiltWorld& world) {
  double total = 0;
  double phases = 1;  // increment 0 is predicted after teaching only
  for (const IncrementCounts& counts : world.counts()) {
    total += phases * static_cast<double>(counts.total());
    phases = 2;
  }
  return total;
}

// A state fits the predictor that saved it and no other.
void expect_same_predictor(const std::vector<Arm>& source_arms, const std::string& source_name,
                           const Arm& arm, const std::string& run) {
  const auto source = std::find_if(source_arms.begin(), source_arms.end(),
                                   [&](const Arm& other) { return other.name == source_name; });
  if (source == source_arms.end() ||
      to_yaml(write_predictor(source->predictor)) != to_yaml(write_predictor(arm.predictor))) {
    throw Error(ErrorKind::config,
                fmt::format("from: the predictor \"{}\" is not that of the arm \"{}\" in {}: "
                            "compare the predictors in its experiment.yaml",
                            arm.predictor.name, source_name, run));
  }
}

// The state each arm begins with, where the experiment starts at a later increment.
std::map<std::string, fs::path> states_to_start_from(const Experiment& experiment,
                                                     const std::vector<Arm>& arms) {
  std::map<std::string, fs::path> files;
  const StartFrom& from = experiment.from;
  if (from.run.empty()) {
    return files;
  }
  const RunFolder source(from.run);
  if (!source.exists()) {
    throw Error(ErrorKind::config, fmt::format("from.run: {} holds no run", from.run));
  }
  const std::vector<Arm> source_arms =
      arms_of(read_experiment(load_yaml(source.file("experiment.yaml"))));
  for (const Arm& arm : arms) {
    const std::string& name = from.arm.empty() ? arm.name : from.arm;
    const fs::path file = source.state(name, from.increment - 1);
    if (!fs::exists(file)) {
      throw Error(ErrorKind::config,
                  fmt::format("from: {} is not there: either that run has no arm \"{}\", or it did "
                              "not get past increment {}, or it kept no states (record: {{states: "
                              "true}})",
                              file.string(), name, from.increment - 1));
    }
    expect_same_predictor(source_arms, name, arm, from.run);
    files[arm.name] = file;
  }
  return files;
}

std::vector<Dataset> load_datasets(const Experiment& experiment, const Catalog& catalog) {
  std::vector<Dataset> datasets;
  for (const std::string& name : experiment.data) {
    datasets.push_back(catalog.load(name));
    expect_finite(datasets.back());
  }
  return datasets;
}

constexpr std::string_view kReliabilityColumns =
    "arm,predictor,feedback,step,phase,split,classes,measure,value\n";

std::string reliability_lines(const Arm& arm, const RunRecord& record) {
  std::string lines;
  for (const ReliabilityRow& row : reliability_rows(record)) {
    for (const auto& [measure, value] : row.values) {
      lines += fmt::format("{},{},{},{},{},{},{},{},{}\n", arm.name, arm.predictor.name,
                           budget_text(arm.budget), row.step, row.phase, row.split, row.classes,
                           measure, value && std::isfinite(*value) ? fmt::to_string(*value) : "");
    }
  }
  return lines;
}

void write_properties(const RunFolder& folder, const std::vector<std::string>& lines) {
  std::string text = "{\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i] + (i + 1 < lines.size() ? ",\n" : "\n");
  }
  write_file(folder.file("properties.json"), text + "}\n");
}

}  // namespace

RunOutcome run_seed(const Experiment& given, const Catalog& catalog, const RunOptions& options,
                    Progress& progress) {
  Experiment experiment = given;
  const RunFolder folder(options.folder);
  const std::string yaml = to_yaml(write_experiment(experiment));
  RunInfo info = info_of(experiment);
  check_place(folder, yaml, info, options);
  const auto starts = states_to_start_from(experiment, arms_of(experiment));
  std::vector<Dataset> datasets = load_datasets(experiment, catalog);
  info.data = data_of(datasets);
  const std::unique_ptr<BuiltWorld> world =
      build_world(experiment.world, "world", std::move(datasets), experiment.seed);
  if (info.data.empty()) {
    info.data.push_back(simulated(experiment, *world));
  }
  const Truth& truth = world->truth();

  make_folder(folder.path());
  const FolderLock lock(folder.path());
  remove_unfinished(folder.path());
  if (!options.resume) {
    clear(folder);
    make_folder(folder.path() / "checkpoints");
    write_file(folder.file("experiment.yaml"), yaml);
    write_file(folder.file("manifest.csv"), world->manifest());
    write_archive(folder.file("truth.npz"), truth_to_state(truth));
    write_run_info(folder.file("run.json"), info);  // last: from now on it is a run
  }

  if (experiment.search.is_wanted()) {
    experiment.predictors = searched(experiment, *world, folder.file("search.csv"), progress);
  }
  const std::vector<Arm> arms = arms_of(experiment);
  const std::string& protocol = experiment.protocol.find("kind")->text;

  StoreShelf shelf;
  shelf.store = world->store();
  Times times(folder.file("times.csv"));
  progress.begin(experiment.name, samples_evaluated(*world) * static_cast<double>(arms.size()));
  const TableOptions both{{NovelTo::predictor, NovelTo::evaluator}, {}};
  RunOutcome outcome{folder.path(), describe(*world), {}, {}, {}};
  const auto warn = [&](std::string_view what) { outcome.warnings.emplace_back(what); };
  std::vector<ArmMeasures> measures;
  std::vector<std::string> properties;
  std::string alarms(Journal::kAlarmColumns);
  std::string discoveries(Journal::kDiscoveryColumns);
  std::string calibration(ArmRun::kCalibrationColumns);
  std::string reliability(kReliabilityColumns);
  for (const Arm& arm : arms) {
    ArmRun run(arm, experiment, world->make_world(arm.budget), truth, folder);
    const bool resumed = options.resume && run.resume(shelf, warn);
    if (const auto start = starts.find(arm.name); !resumed && start != starts.end()) {
      run.start_from(start->second, shelf);
    }
    run.finish(times, progress);
    properties.push_back(
        fmt::format("\"{}\": {}", arm.name,
                    run.properties().to_json(arm.predictor, experiment.prior_knowledge)));
    alarms += run.alarms();
    discoveries += run.discoveries();
    calibration += run.calibration();
    progress.note("measuring");
    const auto begin = std::chrono::steady_clock::now();
    ArmMeasures arm_measures{{{"arm", arm.name},
                              {"predictor", arm.predictor.name},
                              {"feedback", budget_text(arm.budget)}},
                             measure_run(StoredRecord(folder, arm.name), both)};
    if (protocol == "calibrate") {
      reliability += reliability_lines(arm, StoredRecord(folder, arm.name));
    }
    times.add_measuring(
        arm.name, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    outcome.arms.push_back({arm.name, arm.predictor.name, budget_text(arm.budget),
                            headline(arm_measures.rows, protocol), arm_measures.rows});
    measures.push_back(std::move(arm_measures));
  }
  progress.end();
  times.write();

  write_file(folder.file("measures.csv"), to_csv(measures));
  write_file(folder.file("measures.json"), to_json(measures));
  write_properties(folder, properties);
  write_file(folder.file("alarms.csv"), alarms);
  write_file(folder.file("discoveries.csv"), discoveries);
  write_file(folder.file("calibration.csv"), calibration);
  if (protocol == "calibrate") {
    write_file(folder.file("reliability.csv"), reliability);
  }
  info.done = true;
  info.arms = outcomes_of(outcome);
  write_run_info(folder.file("run.json"), info);
  return outcome;
}

}  // namespace tyto

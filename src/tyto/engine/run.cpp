// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/run.hpp"

#include <fmt/format.h>

#include "tyto/core/archive.hpp"
#include "tyto/core/build_info.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files.hpp"
#include "tyto/data/finite.hpp"
#include "tyto/engine/arm_run.hpp"
#include "tyto/engine/run_info.hpp"
#include "tyto/measure/render.hpp"
#include "tyto/measure/table.hpp"
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

std::unique_ptr<BuiltWorld> world_of(const Experiment& experiment, const Catalog& catalog) {
  std::vector<Dataset> datasets;
  for (const std::string& name : experiment.data) {
    datasets.push_back(catalog.load(name));
    expect_finite(datasets.back());
  }
  return build_world(experiment.world, "world", std::move(datasets), experiment.seed);
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

RunInfo info_of(const Experiment& experiment) {
  const BuildInfo build = build_info();
  RunInfo info;
  info.name = experiment.name;
  info.version = build.version;
  info.revision = build.revision;
  info.seed = experiment.seed;
  info.threads = build.threads;
  info.blas_kernel = build.blas_kernel;
  return info;
}

void check_resumable(const RunFolder& folder, const std::string& yaml, const RunInfo& now,
                     bool any_machine) {
  if (!folder.exists()) {
    throw Error(ErrorKind::state,
                fmt::format("{}: there is no run to resume", folder.path().string()));
  }
  if (read_file(folder.file("experiment.yaml")) != yaml) {
    throw Error(ErrorKind::state,
                fmt::format("{}: the run there is of another experiment (compare its "
                            "experiment.yaml); --force replaces it, --out writes elsewhere",
                            folder.path().string()));
  }
  const RunInfo then = read_run_info(folder.file("run.json"));
  if (!any_machine && (then.threads != now.threads || then.blas_kernel != now.blas_kernel)) {
    throw Error(ErrorKind::state,
                fmt::format("{}: the run was made with {} threads and BLAS kernel {}, here are {} "
                            "and {}: the bytes would differ. --threads {} may help, --any-machine "
                            "resumes all the same",
                            folder.path().string(), then.threads, then.blas_kernel, now.threads,
                            now.blas_kernel, then.threads));
  }
}

// Everything a run wrote; files of other origin stay.
void clear(const RunFolder& folder) {
  for (const char* name :
       {"run.json", "experiment.yaml", "manifest.csv", "truth.npz", "record", "checkpoints",
        "measures.json", "measures.csv", "properties.json", "times.csv"}) {
    fs::remove_all(folder.file(name));
  }
}

void write_properties(const RunFolder& folder, const std::vector<std::string>& lines) {
  std::string text = "{\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i] + (i + 1 < lines.size() ? ",\n" : "\n");
  }
  write_file(folder.file("properties.json"), text + "}\n");
}

}  // namespace

RunOutcome run_experiment(const Experiment& experiment, const Catalog& catalog,
                          const RunOptions& options, Progress& progress) {
  const RunFolder folder(options.folder);
  const std::string yaml = to_yaml(write_experiment(experiment));
  RunInfo info = info_of(experiment);
  if (options.resume) {
    check_resumable(folder, yaml, info, options.any_machine);
  } else if (folder.exists() && !options.replace) {
    throw Error(ErrorKind::state,
                fmt::format("{}: holds a run already; --resume continues it, --force replaces it, "
                            "--out writes elsewhere",
                            folder.path().string()));
  }
  const std::unique_ptr<BuiltWorld> world = world_of(experiment, catalog);
  const Truth& truth = world->truth();
  const std::vector<Arm> arms = arms_of(experiment);

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

  StoreShelf shelf;
  shelf.store = world->store();
  Times times(folder.file("times.csv"));
  progress.begin(experiment.name, samples_evaluated(*world) * static_cast<double>(arms.size()));
  const TableOptions both{{NovelTo::predictor, NovelTo::evaluator}, {}};
  RunOutcome outcome{folder.path(), describe(*world), {}};
  std::vector<ArmMeasures> measures;
  std::vector<std::string> properties;
  for (const Arm& arm : arms) {
    ArmRun run(arm, experiment, world->make_world(arm.budget), truth, folder);
    if (options.resume) {
      run.resume(shelf);
    }
    run.finish(times, progress);
    properties.push_back(
        fmt::format("\"{}\": {}", arm.name,
                    run.properties().to_json(arm.predictor, experiment.prior_knowledge)));
    progress.note("measuring");
    ArmMeasures arm_measures{{{"arm", arm.name},
                              {"predictor", arm.predictor.name},
                              {"feedback", budget_text(arm.budget)}},
                             measure_run(StoredRecord(folder, arm.name), both)};
    outcome.arms.push_back(
        {arm.name, arm.predictor.name, budget_text(arm.budget), headline(arm_measures.rows)});
    measures.push_back(std::move(arm_measures));
  }
  progress.end();

  write_file(folder.file("measures.csv"), to_csv(measures));
  write_file(folder.file("measures.json"), to_json(measures));
  write_properties(folder, properties);
  info.done = true;
  for (const ArmOutcome& arm : outcome.arms) {
    RunInfo::Outcome& summary = info.arms.emplace_back();
    summary.arm = arm.arm;
    summary.predictor = arm.predictor;
    summary.feedback = arm.feedback;
    for (const HeadlineNumber& number : arm.headline) {
      summary.headline.emplace_back(number.name, number.value);
    }
  }
  write_run_info(folder.file("run.json"), info);
  return outcome;
}

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/run/prepared_run.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/core/named.hpp"
#include "tyto/data/audit/finite.hpp"
#include "tyto/engine/arm/arm_run.hpp"
#include "tyto/engine/arm/start_model.hpp"
#include "tyto/engine/arm/start_states.hpp"
#include "tyto/engine/run/run_info.hpp"
#include "tyto/engine/run/run_place.hpp"
#include "tyto/engine/search/trial.hpp"

namespace tyto {

namespace {

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

// Of a world that makes its data, or has them elsewhere.
RunInfo::Data own_data(const Experiment& experiment, const WorldSource& world) {
  const auto stores = world.stores();
  const Truth* truth = world.truth();
  return {experiment.world.find("kind")->text, stores.empty() ? "" : stores.front()->digest(),
          truth == nullptr ? "elsewhere" : "simulated",
          truth == nullptr ? 0 : std::ssize(truth->label)};
}

void expect_source_of(const PredictorConfig& predictor, const Dataset& dataset) {
  const std::vector<std::string> sources = dataset.store->sources();
  if (std::find(sources.begin(), sources.end(), predictor.features) == sources.end()) {
    throw Error(
        ErrorKind::config,
        fmt::format("predictor {}: features: the dataset \"{}\" has no source \"{}\"; "
                    "there are: {}",
                    predictor.name, dataset.name, predictor.features, fmt::join(sources, ", ")));
  }
}

std::vector<Dataset> load_datasets(const Experiment& experiment, const Catalog& catalog) {
  std::vector<Dataset> datasets;
  for (const std::string& name : experiment.data) {
    datasets.push_back(catalog.load(name));
    std::set<std::string> checked;
    for (const PredictorConfig& predictor : experiment.predictors) {
      expect_source_of(predictor, datasets.back());
      if (checked.insert(predictor.features).second) {
        expect_finite(datasets.back(), predictor.features);
      }
    }
  }
  return datasets;
}

void check_start_model(const Experiment& experiment, const std::vector<Arm>& arms,
                       const WorldSource& world) {
  std::set<std::string> checked;
  for (const Arm& arm : arms) {
    if (!experiment.from.model.empty() && checked.insert(arm.predictor.name).second) {
      (void)open_start_model(experiment, arm, world);
    }
  }
}

std::string predictors_yaml(const std::vector<PredictorConfig>& predictors) {
  ConfigNode list;
  list.kind = ConfigNode::Kind::list;
  for (const PredictorConfig& config : predictors) {
    list.items.push_back(write_predictor(config));
  }
  ConfigNode node = ConfigNode::empty_map();
  node.put("predictors", std::move(list));
  return to_yaml(node);
}

std::vector<PredictorConfig> read_predictors(const std::filesystem::path& file) {
  const ConfigNode node = load_yaml(file);
  const ConfigNode* list = node.find("predictors");
  if (list == nullptr || list->kind != ConfigNode::Kind::list) {
    throw Error(ErrorKind::state, fmt::format("{}: has no list of predictors", file.string()));
  }
  std::vector<PredictorConfig> predictors;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    predictors.push_back(read_predictor(list->items[i], fmt::format("predictors.{}", i)));
  }
  return predictors;
}

// Everything but predictors.yaml; run.json comes last: from then on it is a run.
void write_start(const RunFolder& folder, const std::string& yaml, const RunInfo& info,
                 const PreparedRun& run) {
  clear(folder);
  make_folder(folder.path() / "checkpoints");
  write_file(folder.file("experiment.yaml"), yaml);
  if (!run.facts.manifest.empty()) {
    write_file(folder.file("manifest.csv"), run.facts.manifest);
  }
  if (const Truth* truth = run.world->truth()) {
    write_archive(folder.file("truth.npz"), truth_to_state(*truth));
  }
  write_run_info(folder.file("run.json"), info);
}

}  // namespace

const ProtocolSpec& PreparedRun::protocol() const {
  return find_protocol(experiment.protocol.find("kind")->text);
}

const Arm& PreparedRun::arm(std::string_view name) const {
  return find_named(arms, "arm", name);
}

double PreparedRun::samples_predicted() const {
  double total = 0;
  for (std::size_t step = 0; step < facts.samples.size(); ++step) {
    const Index times = step == 0 ? 1 : protocol().predictions_per_step;
    total += static_cast<double>(times * facts.samples[step]);
  }
  return total;
}

Experiment read_ran_experiment(const RunFolder& folder) {
  Experiment experiment = read_experiment(load_yaml(folder.file("experiment.yaml")));
  const auto file = folder.file("predictors.yaml");
  if (std::filesystem::exists(file)) {
    experiment.predictors = read_predictors(file);
  }
  return experiment;
}

PreparedRun prepare_run(const Experiment& experiment, const Catalog& catalog,
                        const RunOptions& options, Progress& progress) {
  PreparedRun run{RunFolder(options.folder), experiment, arms_of(experiment), {}, {}, {}};
  const std::string yaml = to_yaml(write_experiment(experiment));
  RunInfo info = info_of(experiment);
  check_place(run.folder, yaml, info, options);
  check_start_states(experiment, run.arms);
  (void)make_protocol(experiment.protocol);  // files it names are there and can be read
  std::vector<Dataset> datasets = load_datasets(experiment, catalog);
  info.data = data_of(datasets);
  run.world =
      build_world(experiment.world, "world", std::move(datasets), experiment.seed_of_world());
  run.facts = run.world->facts();
  if (experiment.novel_again > 0 && !run.facts.tells_last_shown) {
    throw Error(
        ErrorKind::config,
        fmt::format("novel_again: the world {} does not say when it last showed a class, so "
                    "none can be novel again in it; leave it out",
                    experiment.world.find("kind")->text));
  }
  if (info.data.empty()) {
    info.data.push_back(own_data(experiment, *run.world));
  }
  check_start_model(experiment, run.arms, *run.world);
  make_folder(run.folder.path());
  run.lock = std::make_unique<FolderLock>(run.folder.path());
  remove_unfinished(run.folder.path());
  if (!options.resume) {
    write_start(run.folder, yaml, info, run);
  }
  const auto chosen = run.folder.file("predictors.yaml");
  if (std::filesystem::exists(chosen)) {
    run.experiment.predictors = read_predictors(chosen);
  } else {
    if (experiment.search.is_wanted()) {
      run.experiment.predictors =
          searched(experiment, *run.world, run.folder.file("search.csv"), progress);
    }
    write_file(chosen, predictors_yaml(run.experiment.predictors));
  }
  run.arms = arms_of(run.experiment);
  return run;
}

PreparedRun open_prepared(const std::filesystem::path& path, const Catalog& catalog) {
  const RunFolder folder(path);
  PreparedRun run{folder, read_ran_experiment(folder), {}, {}, {}, {}};
  run.arms = arms_of(run.experiment);
  run.world = build_world(run.experiment.world, "world", load_datasets(run.experiment, catalog),
                          run.experiment.seed_of_world());
  run.facts = run.world->facts();
  return run;
}

}  // namespace tyto

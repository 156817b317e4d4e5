// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/model.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/named.hpp"
#include "tyto/engine/arm/checkpoint.hpp"
#include "tyto/engine/run/prepared_run.hpp"
#include "tyto/engine/run/run_info.hpp"
#include "tyto/engine/use/renumber.hpp"
#include "tyto/engine/use/usual_arm.hpp"
#include "tyto/parts/memory/kept.hpp"
#include "tyto/record/run_folder.hpp"
#include "tyto/sample/store_access.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKind = "predictor";

// The data of a run, loaded only when a state refers to them.
class DataOfRun final : public Shelf {
 public:
  DataOfRun(const Experiment& experiment, const Catalog& catalog)
      : experiment_(experiment), catalog_(catalog) {}

  [[nodiscard]] std::shared_ptr<const FeatureStore> find(std::string_view digest) const override {
    std::vector<Dataset> datasets;
    for (const std::string& name : experiment_.data) {
      datasets.push_back(catalog_.load(name));
    }
    const auto world =
        build_world(experiment_.world, "world", std::move(datasets), experiment_.seed_of_world());
    return StoreShelf(world->stores()).find(digest);
  }

 private:
  const Experiment& experiment_;
  const Catalog& catalog_;
};

State state_of(const RunFolder& folder, const std::string& arm, std::optional<Index> increment,
               std::string& note) {
  if (increment) {
    const fs::path file = folder.state(arm, *increment);
    if (!fs::exists(file)) {
      throw Error(ErrorKind::config,
                  fmt::format("{} is not there: either the run did not get past increment {}, or "
                              "it kept no states (record: {{states: true}})",
                              file.string(), *increment));
    }
    State state = read_archive(file);
    expect_stamp(state, file);
    return state;
  }
  auto state =
      Checkpoint(folder.checkpoint(arm)).read([&](std::string_view what) { note += what; });
  if (!state) {
    throw Error(ErrorKind::state, fmt::format("{}: the arm \"{}\" has not learned anything yet",
                                              folder.path().string(), arm));
  }
  return std::move(*state);
}

// From the state, or, where an older version wrote it, from what is remembered.
void note_columns(ReadyPredictor& model, const State& state) {
  const Memory* memory = model.predictor->parts().memory;
  if (state.has("columns")) {
    model.columns = state.get<std::vector<std::string>>("columns");
  } else if (memory != nullptr && !memory->samples().empty()) {
    model.columns = memory->samples().column_names("features");
  }
}

ReadyPredictor load_run(const fs::path& path, const ModelChoice& choice, const Catalog& catalog) {
  const RunFolder folder(path);
  const RunInfo info = open_run(folder);
  if (!info.seeds.empty()) {
    throw Error(
        ErrorKind::config,
        fmt::format("{} holds a run of each of the seeds {}; name one, as in {}", path.string(),
                    seed_text(info), folder.seed(info.seeds.front()).path().string()));
  }
  const Experiment experiment = read_ran_experiment(folder);
  if (experiment.search.is_wanted() && !fs::exists(folder.file("predictors.yaml"))) {
    throw Error(
        ErrorKind::state,
        fmt::format("{}: the search for options of its predictors has not ended", path.string()));
  }
  const std::vector<Arm> arms = arms_of(experiment);
  std::vector<std::string> names;
  for (const Arm& arm : arms) {
    names.push_back(arm.name);
  }
  const UsualArm usual = usual_arm(arms, folder, info);
  const Arm& arm = choice.arm.empty() ? *usual.arm : find_named(arms, "arm", choice.arm);
  ReadyPredictor model;
  if (choice.arm.empty() && arms.size() > 1) {
    model.note =
        fmt::format("{}: using the arm {} of {}{}", path.string(), arm.name, fmt::join(names, ", "),
                    usual.why.empty() ? "" : fmt::format("; it {}", usual.why));
  }
  const State state = state_of(folder, arm.name, choice.increment, model.note);
  model.predictor =
      std::make_unique<Composition>(arm.predictor, arm.predictor.stream_seed(experiment.seed));
  try {
    model.predictor->load(state.child("predictor"), DataOfRun(experiment, catalog));
  } catch (const Error& problem) {
    throw Error(problem.kind(),
                fmt::format("{}, arm {}: {}", path.string(), arm.name, problem.what()));
  }
  note_columns(model, state);
  model.prior_knowledge = experiment.prior_knowledge.of(arm.predictor);
  for (const RunInfo::Outcome& outcome : info.arms) {
    if (outcome.arm == arm.name && !outcome.prior_knowledge.empty()) {
      model.prior_knowledge = outcome.prior_knowledge;  // with the model it began with, if any
    }
  }
  const Memory* memory = model.predictor->parts().memory;
  if (memory != nullptr && fs::exists(folder.file("truth.npz"))) {
    const Truth truth = truth_from_state(read_archive(folder.file("truth.npz")));
    for (Index i = 0; i < memory->samples().size(); ++i) {
      const auto id = static_cast<std::uint32_t>(memory->samples().id(i));
      if (id < truth.name.size()) {
        model.names[id] = truth.name[id];
      }
    }
  }
  return model;
}

ReadyPredictor load_file(const fs::path& file, bool elsewhere) {
  State state = read_archive(file);
  if (!state.has("kind") || state.get<std::string>("kind") != kKind) {
    throw Error(ErrorKind::state,
                fmt::format("{}: not a predictor; name a run folder, or a file to which one was "
                            "saved",
                            file.string()));
  }
  expect_stamp(state, file);
  try {
    ReadyPredictor model;
    const ConfigNode config = parse_yaml(state.get<std::string>("config"), file.string());
    model.predictor = std::make_unique<Composition>(read_predictor(config, "predictor"), 0);
    if (elsewhere) {
      renumber_samples(state.children.at("predictor"));
    }
    model.predictor->load(state.child("predictor"), EmptyShelf());
    if (state.has("prior_knowledge")) {  // not in files of before
      model.prior_knowledge = state.get<std::string>("prior_knowledge");
    }
    model.next_id = static_cast<std::uint32_t>(state.get<std::int64_t>("next_id"));
    const auto& ids = state.get<std::vector<std::int64_t>>("ids");
    const auto& names = state.get<std::vector<std::string>>("names");
    for (std::size_t i = 0; i < std::min(ids.size(), names.size()); ++i) {
      model.names[static_cast<std::uint32_t>(ids[i])] = names[i];
    }
    note_columns(model, state);
    if (state.has("others")) {  // not in files of older versions
      model.others = state.get<std::vector<std::string>>("others");
      model.id_column = state.get<std::string>("id_column");
    }
    return model;
  } catch (const Error& problem) {
    throw Error(problem.kind(), fmt::format("{}: {}", file.string(), problem.what()));
  }
}

}  // namespace

std::string ReadyPredictor::name_of(SampleId id) const {
  const auto found = names.find(static_cast<std::uint32_t>(id));
  return found != names.end() ? found->second
                              : fmt::format("sample {}", static_cast<std::uint32_t>(id));
}

ReadyPredictor load_model(const std::string& what, const ModelChoice& given,
                          const Catalog& catalog) {
  ModelChoice choice = given;
  fs::path path = what;
  const auto colon = what.rfind(':');
  if (!fs::exists(path) && colon != what.npos && colon + 1 < what.size()) {
    path = what.substr(0, colon);
    choice.arm = what.substr(colon + 1);
  }
  if (fs::is_regular_file(path)) {
    return load_file(path, false);
  }
  if (!RunFolder(path).exists()) {
    throw Error(ErrorKind::config,
                fmt::format("{} is neither a run nor a saved predictor", path.string()));
  }
  return load_run(path, choice, catalog);
}

ReadyPredictor load_model_elsewhere(const fs::path& file) {
  if (!fs::is_regular_file(file)) {
    throw Error(ErrorKind::config,
                fmt::format("from.model: {} is not a file; `tyto predict RUN --save FILE` writes "
                            "one that needs no data",
                            file.string()));
  }
  return load_file(file, true);
}

void save_model(const fs::path& file, const ReadyPredictor& model) {
  State state;
  stamp(state);
  state.set("kind", std::string(kKind));
  state.set("config", to_yaml(write_predictor(model.predictor->config())));
  state.set("next_id", std::int64_t{model.next_id});
  state.set("columns", model.columns);
  state.set("prior_knowledge", model.prior_knowledge);
  state.set("others", model.others);
  state.set("id_column", model.id_column);
  State& predictor = state.make_child("predictor");
  model.predictor->save(predictor);
  std::vector<std::int64_t> ids;
  std::vector<std::string> names;
  const auto memory = predictor.children.find(slot_name(Slot::memory));
  if (memory != predictor.children.end() && memory->second.has("store")) {
    const Samples& samples = model.predictor->parts().memory->samples();
    make_whole(memory->second, StoreShelf({StoreAccess::store(samples)}));
    for (Index i = 0; i < samples.size(); ++i) {
      const auto id = static_cast<std::uint32_t>(samples.id(i));
      if (const auto name = model.names.find(id); name != model.names.end()) {
        ids.push_back(id);
        names.push_back(name->second);
      }
    }
  }
  state.set("ids", std::move(ids));
  state.set("names", std::move(names));
  write_archive(file, state);
}

}  // namespace tyto

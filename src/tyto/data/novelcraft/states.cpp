// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/novelcraft/states.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/core/parallel.hpp"
#include "tyto/data/novelcraft/state_features.hpp"
#include "tyto/data/novelcraft/state_file.hpp"
#include "tyto/sample/stores/picked_store.hpp"

namespace tyto {

namespace {

struct StatesRead {
  std::vector<StateReading> readings;
  std::map<std::string, Index> unknown_keys;  // and in how many frames
};

StatesRead read_states(const std::filesystem::path& folder,
                       const std::vector<NovelCraftFile>& files,
                       const StateDescription& description) {
  const bool wants_map =
      std::any_of(description.begin(), description.end(), [](const StateVariable& variable) {
        return variable.key == "map" || variable.key.starts_with("map.");
      });
  StatesRead out;
  out.readings.resize(files.size());
  std::vector<std::vector<std::string>> unknown(files.size());
  for_each_index(std::ssize(files), [&](Index i) {
    const std::filesystem::path file = folder / (files[at(i)].id() + ".json");
    const nlohmann::json state =
        read_state_file(file, wants_map ? StatePart::all : StatePart::without_map);
    out.readings[at(i)] = read_state(state, description, file.string());
    unknown[at(i)] = unknown_state_keys(state);
  });
  for (const auto& keys : unknown) {
    for (const std::string& key : keys) {
      ++out.unknown_keys[key];
    }
  }
  return out;
}

StateEncoder learned_encoder(const StateDescription& description, const IndexTable& table,
                             const std::vector<StateReading>& readings) {
  std::vector<const StateReading*> standard;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (table.split[i] == "train" && table.label[i] == kNovelCraftNormal) {
      standard.push_back(&readings[i]);
    }
  }
  return {description, standard};
}

// Rows of the store for each sample: itself and what came before it in its episode.
std::vector<Index> run_rows(IndexTable& table, Index history) {
  std::vector<Index> rows;
  Index begin = 0;  // of the episode
  for (Index i = 0; i < table.size(); ++i) {
    if (table.group[at(i)] != table.group[at(begin)]) {
      begin = i;
    }
    const Index first = std::max(begin, i - history);
    table.frames.push_back(i - first + 1);
    for (Index row = first; row <= i; ++row) {
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace

Dataset read_novelcraft_states(const std::filesystem::path& folder, NovelCraftOptions options) {
  options.of = "episodes";
  const StateDescription description = options.state.empty()
                                           ? standard_state_description()
                                           : read_state_description(load_yaml(options.state));
  NovelCraftSelection selection = select_novelcraft(folder, ".json", options);
  const StatesRead read = read_states(folder, selection.files, description);
  const StateEncoder encoder = learned_encoder(description, selection.table, read.readings);
  Matrix values(std::ssize(read.readings), encoder.width());
  Index unknown = 0;
  Index unknown_frames = 0;
  for (std::size_t i = 0; i < read.readings.size(); ++i) {
    const Index here = encoder.encode(read.readings[i], &values(static_cast<Index>(i), 0));
    unknown += here;
    unknown_frames += here > 0 ? 1 : 0;
  }
  Dataset dataset;
  dataset.table = std::move(selection.table);
  dataset.about = std::move(selection.about);
  dataset.about["state_numeric"] = fmt::format("{}", encoder.numeric());
  dataset.about["state_categorical"] = fmt::format("{}", fmt::join(encoder.categories(), ", "));
  dataset.about["state_history"] = fmt::format("{}", options.history);
  if (unknown > 0) {
    dataset.about["state_unknown"] =
        fmt::format("{} items and words in {} frames are not of the standard training episodes",
                    unknown, unknown_frames);
  }
  for (const auto& [key, frames] : read.unknown_keys) {
    std::string& text = dataset.about["unknown_keys"];
    text += fmt::format("{}{} in {} frames", text.empty() ? "" : ", ", key, frames);
  }
  auto frames = std::make_shared<const DenseStore>(
      std::vector<DenseStore::Source>{{"state", std::move(values), encoder.columns()}});
  std::vector<Index> rows = run_rows(dataset.table, options.history);
  dataset.store = std::make_shared<const PickedStore>(std::move(frames), std::move(rows));
  dataset.summary = fmt::format("states of {} frames of NovelCraft, each with up to {} before it",
                                dataset.table.size(), options.history);
  return dataset;
}

}  // namespace tyto

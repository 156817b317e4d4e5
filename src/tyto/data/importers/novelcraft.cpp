// SPDX-License-Identifier: Apache-2.0
// NovelCraft from its tables alone: the frames that were scored, or all that its table of visible
// shares tells of. From its folders: the states of its episodes, and a list of its pictures.
#include <algorithm>

#include <fmt/ranges.h>

#include "tyto/data/import.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/data/novelcraft/selection.hpp"
#include "tyto/data/novelcraft/states.hpp"
#include "tyto/data/novelcraft/tables.hpp"
#include "tyto/sample/feature_store.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 4> kIndexColumns{"id", "class", "novel", "novel_percent"};

void add_frame(IndexTable& table, const std::string& id, const NovelCraftId& parts,
               NovelCraftRole role, std::string_view split, std::string_view share) {
  table.id.push_back(id);
  table.label.push_back(parts.class_name);
  table.split.emplace_back(split);
  table.group.push_back(fmt::format("{}/{}", parts.class_name, parts.episode));
  table.time.push_back(static_cast<double>(parts.frame));
  table.annotations["role"].emplace_back(novelcraft_role_word(role));
  table.annotations["novel"].emplace_back(role == NovelCraftRole::normal ? "0" : "1");
  table.annotations["visible_share"].emplace_back(share);
}

// The released scores of the validation and the test frames.
void read_scored(const std::filesystem::path& folder, const NovelCraftTables& tables,
                 Dataset& dataset) {
  const std::array<CsvTable, 2> files{
      CsvTable::load(needed_file(folder, "frame_scores_valid.csv.gz")),
      CsvTable::load(needed_file(folder, "frame_scores_test.csv.gz"))};
  std::vector<std::string> methods;
  std::vector<std::string> incomplete;
  for (const std::string& name : files[1].columns()) {
    if (std::find(kIndexColumns.begin(), kIndexColumns.end(), name) != kIndexColumns.end()) {
      continue;
    }
    bool whole = true;
    for (const CsvTable& csv : files) {
      for (Index row = 0; row < csv.rows() && whole; ++row) {
        whole = !csv.text(row, csv.column(name)).empty();
      }
    }
    (whole ? methods : incomplete).push_back(name);
  }
  Matrix values(files[0].rows() + files[1].rows(), std::ssize(methods));
  Index begin = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const CsvTable& csv = files[i];
    std::vector<Index> columns;
    for (const std::string& name : methods) {
      columns.push_back(csv.column(name));
    }
    values.middleRows(begin, csv.rows()) = csv.matrix(columns);
    begin += csv.rows();
    for (Index row = 0; row < csv.rows(); ++row) {
      const std::string id(csv.text(row, csv.column("id")));
      const NovelCraftId parts = novelcraft_id(id, csv.place(row, csv.column("id")));
      const auto role = tables.role.find(parts.class_name);
      if (role == tables.role.end()) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: classes.csv does not list \"{}\"",
                                csv.place(row, csv.column("id")), parts.class_name));
      }
      add_frame(dataset.table, id, parts, role->second, i == 0 ? "validate" : "test",
                csv.text(row, csv.column("novel_percent")));
    }
  }
  dataset.summary = fmt::format("{} frames of NovelCraft with the released scores of {} detectors",
                                values.rows(), methods.size());
  if (!incomplete.empty()) {
    dataset.about["left_out"] =
        fmt::format("{}: not released for every frame", fmt::join(incomplete, ", "));
  }
  dataset.store = std::make_shared<DenseStore>(
      std::vector<DenseStore::Source>{{"features", std::move(values), methods}});
}

// The frames that count, of all classes but `normal`, whose frames no table names.
void read_visible(const std::filesystem::path& folder, const NovelCraftTables& tables,
                  Dataset& dataset) {
  const CsvTable csv = CsvTable::load(needed_file(folder, "targets.csv"));
  const Index id_column = csv.column("id");
  const Index share_column = csv.column("novel_percent");
  std::vector<float> shares;
  for (Index row = 0; row < csv.rows(); ++row) {
    const std::string id(csv.text(row, id_column));
    const NovelCraftId parts = novelcraft_id(id, csv.place(row, id_column));
    const NovelCraftEpisode& episode = tables.episodes.at({parts.class_name, parts.episode});
    const double share = csv.number(row, share_column);
    if (share >= kNovelCraftVisible && !episode.split.empty()) {
      add_frame(dataset.table, id, parts, episode.role, episode.split, csv.text(row, share_column));
      shares.push_back(static_cast<float>(share));
    }
  }
  Matrix values(std::ssize(shares), 1);
  std::copy(shares.begin(), shares.end(), values.data());
  dataset.summary =
      fmt::format("{} frames of NovelCraft with the visible share of their object", values.rows());
  dataset.store = std::make_shared<DenseStore>(
      std::vector<DenseStore::Source>{{"features", std::move(values), {"visible_share"}}});
}

NovelCraftOptions novelcraft_options(const ConfigNode& node) {
  return read_options<NovelCraftOptions>(node, "novelcraft");
}

Dataset read_novelcraft(const std::filesystem::path& folder, std::string_view variant,
                        const ConfigNode& options) {
  Dataset dataset;
  const NovelCraftOptions chosen = novelcraft_options(options);
  if (variant == "states") {
    dataset = read_novelcraft_states(folder, chosen);
  }
  dataset.name = fmt::format("novelcraft_{}", variant);
  dataset.about["citation"] =
      "P. Feeney, S. Schneider, P. Lymperopoulos, L. Liu, M. Scheutz, M. C. Hughes, NovelCraft: "
      "A Dataset for Novelty Detection and Discovery in Open Worlds, TMLR 2023";
  if (variant == "states") {
    dataset.about["origin"] = "the layout of NovelCraft, published or generated: states";
    return dataset;
  }
  const NovelCraftTables tables = read_novelcraft_tables(folder);
  dataset.about["origin"] = "NovelCraft, tables and released scores, without pictures";
  dataset.about["licence"] = "CC BY 4.0 (tables), MIT (scores)";
  if (variant == "frames") {
    read_visible(folder, tables, dataset);
  } else {
    read_scored(folder, tables, dataset);
  }
  for (const NovelCraftCount& count : novelcraft_splits(tables)) {
    dataset.about[fmt::format("table2_{}_{}", count.split, count.is_novel ? "novel" : "normal")] =
        fmt::format(
            "{} episodes ({} with a frame that counts), {} frames ({} in those), {} that "
            "count",
            count.episodes, count.with_visible, count.frames, count.frames_with_visible,
            count.visible);
  }
  return dataset;
}

// A picture each, to be found by its path.
IndexTable list_novelcraft(const std::filesystem::path& folder, const ConfigNode& options,
                           std::vector<std::string>& notes) {
  NovelCraftSelection found = select_novelcraft(folder, ".png", novelcraft_options(options));
  for (const auto& [key, sentence] : found.about) {
    notes.push_back(sentence);
  }
  found.table.source = found.table.id;
  return std::move(found.table);
}

}  // namespace

ImportSpec novelcraft_import() {
  ImportSpec spec{
      "novelcraft",
      "frames of NovelCraft from its tables: those with released scores, or all that count; "
      "states of its episodes; with `tyto data lists` a list of its pictures",
      {"targets.csv", "splits.csv", "classes.csv", "frame_scores_valid.csv.gz",
       "frame_scores_test.csv.gz"},
      {"scores", "frames", "states"}};
  NovelCraftOptions standard;
  spec.options = explain_options([&](OptionVisitor& visitor) { standard.describe(visitor); });
  spec.read_with = read_novelcraft;
  spec.list_with = list_novelcraft;
  return spec;
}

}  // namespace tyto

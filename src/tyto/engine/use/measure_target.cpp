// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/measure_target.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/engine/run/run_info.hpp"
#include "tyto/engine/use/arm_records.hpp"
#include "tyto/measure/formulas/groups.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

std::vector<MeasureTarget> open_arms(const RunFolder& folder, const std::string& arm) {
  const std::string path = folder.path().string();
  const RunInfo info = open_finished_run(folder);
  if (!info.seeds.empty()) {
    throw Error(
        ErrorKind::config,
        fmt::format("{}: holds a run for each of {} seeds; measure one of them, as in {}", path,
                    info.seeds.size(), folder.seed(info.seeds.front()).path().string()));
  }
  ArmRecords records(folder, info);
  std::vector<MeasureTarget> targets;
  std::vector<std::string> names;
  for (const RunInfo::Outcome& outcome : info.arms) {
    names.push_back(outcome.arm);
    if (arm.empty() || arm == outcome.arm) {
      targets.push_back(
          {fmt::format("{} {}", path, outcome.arm),
           true,
           {{"arm", outcome.arm}, {"predictor", outcome.predictor}, {"feedback", outcome.feedback}},
           {},
           records.open(outcome.arm),
           info.novel_again});
    }
  }
  if (targets.empty()) {
    throw unknown_name("arm", arm, names);
  }
  records.expect_whole();
  return targets;
}

}  // namespace

std::vector<MeasureTarget> open_targets(const std::string& path, const std::string& arm,
                                        PredictionTableOptions options, bool wanted_elsewhere,
                                        const ActualClasses& actual) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    if (!actual.from.empty()) {
      throw Error(ErrorKind::config,
                  fmt::format("--labels is for tables: {} is a run, which has its classes", path));
    }
    return open_arms(RunFolder(path), arm);
  }
  if (!arm.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("{}: a table, so it has no arm {}; only a run has arms", path, arm));
  }
  CsvTable table = CsvTable::load(path);
  std::vector<std::string> joined;
  if (!actual.from.empty()) {
    const std::string id = !options.columns.id.empty() ? options.columns.id
                           : table.find("id")          ? "id"
                           : table.find("row")         ? "row"
                                                       : "id";
    if (!is_answer_table(table, options.columns) && options.columns.predicted.empty() &&
        table.find("label") && !table.find("predicted") && !table.find("prediction")) {
      options.columns.predicted = "label";  // the classes come from elsewhere
    }
    table = with_actual_classes(table, id, actual, joined);
    options.columns.truth = kActualColumn;
    options.columns.id = id;
  }
  if (wanted_elsewhere) {
    std::erase_if(options.wanted, [&](const std::string& name) { return !table.find(name); });
  }
  auto record = std::make_shared<TableRecord>(table, options);
  std::vector<std::string> notes = record->notes();
  notes.insert(notes.end(), joined.begin(), joined.end());
  std::vector<MeasureTarget> targets;
  targets.push_back({path, false, {}, std::move(notes), std::move(record)});
  return targets;
}

Annotations::Annotations(const std::string& file_or_dataset, const std::vector<std::string>& places)
    : name_(file_or_dataset) {
  std::error_code ignored;
  if (fs::is_regular_file(file_or_dataset, ignored)) {
    const CsvTable table = CsvTable::load(file_or_dataset);
    const auto id = table.find("id")           ? table.column("id")
                    : table.find("name")       ? table.column("name")
                    : table.find("youtube_id") ? table.column("youtube_id")
                                               : table.column("id");
    ids_ = table.texts(id);
    for (const std::string& name : table.columns()) {
      columns_.emplace(name, table.texts(table.column(name)));
    }
    return;
  }
  const Dataset dataset =
      Catalog::standard(std::vector<fs::path>(places.begin(), places.end())).load(file_or_dataset);
  ids_ = dataset.table.id;
  columns_ = dataset.table.annotations;
  for (const auto& [name, values] : {std::pair("source", &dataset.table.source),
                                     {"group", &dataset.table.group},
                                     {"label", &dataset.table.label}}) {
    if (!values->empty()) {
      columns_.try_emplace(name, *values);
    }
  }
}

bool Annotations::has(const std::string& column) const {
  return columns_.contains(column);
}

const std::vector<std::string>& Annotations::column(const std::string& called) const {
  const auto found = columns_.find(called);
  if (found == columns_.end()) {
    std::vector<std::string> names;
    for (const auto& [name, values] : columns_) {
      names.push_back(name);
    }
    throw unknown_name("column of " + name_, called, names);
  }
  return found->second;
}

std::vector<std::string> Annotations::values(const Truth& truth, const std::string& column) const {
  return joined_values(truth, ids_, this->column(column), name_);
}

}  // namespace tyto

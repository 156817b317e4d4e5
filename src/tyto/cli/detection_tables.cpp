// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/detection_tables.hpp"

#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/data/split_word.hpp"
#include "tyto/engine/use/detection_table.hpp"

namespace tyto {

namespace {

constexpr std::string_view kByGroups = "groups";  // of --episodes

bool truth_of_cell(const CsvTable& csv, Index row, Index column) {
  const std::string_view text = csv.text(row, column);
  if (text == "1" || text == "true" || text == "novel" || text == "yes") {
    return true;
  }
  if (text == "0" || text == "false" || text == "normal" || text == "no") {
    return false;
  }
  throw Error(ErrorKind::data,
              fmt::format("{}: \"{}\" does not say whether the row is novel: 1 and 0, true and "
                          "false, or novel and normal do",
                          csv.place(row, column), text));
}

void add_units(Judged& out) {
  for (const ScoredEpisode& episode : out.episodes.episodes) {
    out.is_novel.push_back(episode.is_novel ? 1 : 0);
    out.unit.push_back(static_cast<Index>(out.unit.size()));
  }
}

}  // namespace

DetectionTables::DetectionTables(const DetectionCall& call, const DetectionForm& form)
    : call_(call), form_(form), validation_(call.validation) {
  load();
  if (!validation_.empty() && std::filesystem::exists(validation_)) {
    validation_csv_.emplace(CsvTable::load(validation_));
  }
  if (!call.episodes.empty() && !by_groups()) {
    types_ = read_episode_types(CsvTable::load(call.episodes));
  }
  if (call.truth == "novel" && csv_.find("p_value") && csv_.find("novelty")) {
    throw Error(ErrorKind::config,
                fmt::format("{}: this is what `tyto detect` writes, and its column \"novel\" is "
                            "what was decided, not what is true; --truth names a column that is",
                            csv_.name()));
  }
  choose_rows();
}

bool DetectionTables::by_groups() const {
  return call_.episodes == kByGroups;
}

Judged DetectionTables::measured(const std::string& score, std::vector<std::string>& notes) const {
  return read(csv_, rows_.measured, score, notes, false);
}

std::optional<Judged> DetectionTables::validation(const std::string& score,
                                                  std::vector<std::string>& notes) const {
  if (!has_validation()) {
    return std::nullopt;
  }
  return read(validation_csv_ ? *validation_csv_ : csv_, rows_.validation, score, notes, true);
}

// A folder is a run, whose scores make a table of the same kind.
void DetectionTables::load() {
  scores_ = call_.scores;
  if (!std::filesystem::is_directory(call_.file)) {
    if (!form_.arm.empty()) {
      throw Error(ErrorKind::config, fmt::format("{}: a table, so it has no arm {}; only a run "
                                                 "has arms",
                                                 call_.file, form_.arm));
    }
    csv_ = CsvTable::load(call_.file);
    if (scores_.empty()) {
      scores_ = {"score"};
    }
    return;
  }
  DetectionTable table = detection_table(call_.file, form_.arm);
  csv_ = std::move(table.csv);
  if (scores_.empty()) {
    scores_ = std::move(table.scores);
  }
  if (validation_.empty() && table.has_validation) {
    validation_ = "split";
  }
  if (by_groups() && !csv_.find("episode")) {
    throw Error(ErrorKind::data,
                fmt::format("{}: --episodes groups needs data that name groups of samples, and "
                            "these do not",
                            call_.file));
  }
  if (by_groups() && !table.has_times) {
    notes_.emplace_back(
        "the data have no times: frames of an episode are in the order of the record, and delays "
        "mean nothing");
  }
}

void DetectionTables::choose_rows() {
  if (validation_.empty() || validation_csv_) {
    rows_.measured = all_rows(csv_);
    if (validation_csv_) {
      rows_.validation = all_rows(*validation_csv_);
    }
    return;
  }
  if (!csv_.find(validation_)) {
    throw Error(ErrorKind::config,
                fmt::format("--validation {}: is neither a file nor a column of {}", validation_,
                            csv_.name()));
  }
  const Index column = csv_.column(validation_);
  for (Index row = 0; row < csv_.rows(); ++row) {
    const std::string_view word = csv_.text(row, column);
    if (word == "1" || word == "true" || canonical_split(word) == "validate") {
      rows_.validation.push_back(row);
    } else if (word == "train") {
      ++rows_.left_out;
    } else {
      rows_.measured.push_back(row);
    }
  }
  if (rows_.validation.empty()) {
    throw Error(ErrorKind::data, fmt::format("{}: no row is for validation by its column \"{}\"",
                                             csv_.name(), validation_));
  }
}

Judged DetectionTables::read(const CsvTable& csv, const std::vector<Index>& rows,
                             const std::string& score, std::vector<std::string>& notes,
                             bool for_validation) const {
  if (!for_validation && rows_.left_out > 0) {
    notes.push_back(fmt::format("{} rows for training are left out", rows_.left_out));
  }
  return by_groups() ? read_groups(csv, rows, score, notes, for_validation)
         : types_    ? read_episodes(csv, rows, score, notes)
                     : read_samples(csv, rows, score, notes, for_validation);
}

Judged DetectionTables::read_groups(const CsvTable& csv, const std::vector<Index>& rows,
                                    const std::string& score, std::vector<std::string>& notes,
                                    bool for_validation) const {
  const Index truth_column = csv.column(call_.truth);
  std::vector<std::uint8_t> is_novel;
  for (const Index row : rows) {
    is_novel.push_back(truth_of_cell(csv, row, truth_column) ? 1 : 0);
  }
  GroupedEpisodes grouped = read_grouped_episodes(csv, rows, score, is_novel);
  if (grouped.late > 0 && !for_validation) {
    notes.push_back(
        fmt::format("in {} novel episodes the novelty comes after the first frame; "
                    "delays count from the first frame on",
                    grouped.late));
  }
  Judged out;
  out.episodes = std::move(grouped.episodes);
  add_units(out);
  return out;
}

Judged DetectionTables::read_samples(const CsvTable& csv, const std::vector<Index>& rows,
                                     const std::string& score, std::vector<std::string>& notes,
                                     bool for_validation) const {
  const Index score_column = csv.column(score);
  const Index truth_column = csv.column(call_.truth);
  Judged out;
  Index without = 0;
  std::map<std::string, Index, std::less<>> units;
  for (const Index row : rows) {
    if (for_validation && csv.text(row, score_column).empty()) {
      ++without;  // a threshold can be chosen on the others
      continue;
    }
    const double value = csv.number(row, score_column);
    if (std::isnan(value)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the score is not a number", csv.place(row, score_column)));
    }
    out.score.push_back(value);
    out.is_novel.push_back(truth_of_cell(csv, row, truth_column) ? 1 : 0);
    if (!form_.by_group.empty() && !for_validation) {
      const std::string name = unit_name(csv, row);
      out.unit.push_back(units.try_emplace(name, static_cast<Index>(units.size())).first->second);
    } else {
      out.unit.push_back(static_cast<Index>(out.unit.size()));
    }
  }
  if (without > 0) {
    notes.push_back(fmt::format("{} of {} validation rows have no score and are left out", without,
                                rows.size()));
  }
  return out;
}

// Without a column of that name the episode is what stands before the last slash of the id.
std::string DetectionTables::unit_name(const CsvTable& csv, Index row) const {
  if (form_.by_group == "episode" && !csv.find("episode") && csv.find("id")) {
    const std::string id(csv.text(row, csv.column("id")));
    return id.substr(0, id.rfind('/'));
  }
  return std::string(csv.text(row, csv.column(form_.by_group)));
}

Judged DetectionTables::read_episodes(const CsvTable& csv, const std::vector<Index>& rows,
                                      const std::string& score,
                                      std::vector<std::string>& notes) const {
  Judged out;
  const MissingFrames missing = call_.missing == "zero" ? MissingFrames::zero : MissingFrames::skip;
  out.episodes = read_scored_episodes(csv, rows, score, *types_, missing);
  if (out.episodes.rows_left_out > 0) {
    notes.push_back(fmt::format("{} rows of {} are left out, as {} says",
                                out.episodes.rows_left_out, fmt::join(types_->left_out, ", "),
                                call_.episodes));
  }
  if (out.episodes.filled > 0) {
    notes.push_back(
        fmt::format("{} frames that no row tells of have the score 0, as published; "
                    "--missing-frames skip leaves them out",
                    out.episodes.filled));
  }
  add_units(out);
  return out;
}

}  // namespace tyto

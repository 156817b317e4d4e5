// SPDX-License-Identifier: Apache-2.0
// What is unusual in new rows, to whoever has seen normal ones only: `tyto detect`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tyto/engine/detect/alarm_terms.hpp"
#include "tyto/engine/detect/column_shift.hpp"
#include "tyto/engine/detect/learned_detector.hpp"
#include "tyto/engine/detect/open_rows.hpp"
#include "tyto/engine/detect/why_unusual.hpp"

namespace tyto {

struct DetectCall {
  std::string train, fresh;  // tables, datasets or folders of pictures
  std::string id_column;
  std::vector<std::string> ignore;
  std::vector<std::filesystem::path> places;  // of datasets
  bool fill_missing = false;                  // by the medians of TRAIN; else refused
  PictureFeatures pictures;
  std::string detector;                // "": the preset for the kind of TRAIN
  std::optional<double> contaminated;  // share of TRAIN that may be unusual
  AlarmTerms terms;
  Index train_rows = 20000;  // learned from, at most
  Index explained = 0;       // rows, the most unusual
  std::uint64_t seed = 1;
  std::filesystem::path save;  // empty: nowhere
};

struct ExplainedRow {
  Index row = 0;  // from 0
  std::vector<UnusualColumn> columns;
};

// Eight bytes a row and its id; the rows themselves pass in blocks.
struct DetectOutcome {
  std::vector<std::string> id;  // empty where rows are numbered
  std::vector<float> novelty, p_value;
  std::vector<std::uint8_t> novel;
  std::string detector;
  std::vector<std::string> columns;   // names of features, "column 3" where there are none
  Index train_seen = 0, learned = 0;  // rows of TRAIN, and those the detector saw
  Index set_aside = 0;                // taken for unusual
  Index held = 0;                     // normal rows behind the p-values
  double rate = 0;                    // of false alarms that the decisions stand for
  Index alarms = 0;
  Index distinct = 0, largest_tie = 0;  // scores, and rows of the commonest
  std::vector<ColumnShift> shifts;      // columns of NEW that are distributed otherwise
  std::vector<ExplainedRow> why;        // the most unusual first
  std::vector<std::string> patches;     // what `why` counts instead of columns, of pixels
  std::vector<std::string> notes;       // sentences a user should read
};

// What a number in ExplainedRow::columns stands for.
const std::string& reason_name(const DetectOutcome& outcome, Index column);

// Throws Error that names file, line and column of what cannot be used.
DetectOutcome detect_unusual(const DetectCall& call, Progress& progress);

}  // namespace tyto

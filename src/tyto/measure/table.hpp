// SPDX-License-Identifier: Apache-2.0
// All measures of all phases of a run, one value a row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tyto/measure/values.hpp"
#include "tyto/record/record.hpp"

namespace tyto {

struct MeasureRow {
  Index step = 0;  // kAllSteps: over all increments
  std::string phase, split, view, measure;
  std::string novel_to;         // "predictor", "evaluator"
  std::optional<double> value;  // missing where the measure is not defined

  std::optional<double> low = {}, high = {};  // ends of an interval, where one was asked for
  std::string group = {};                     // of samples, where they were asked for
  Index samples = 0;

  [[nodiscard]] std::string step_name() const;  // "3", "all"
};

MeasureRow make_row(const PhaseKey& key, NovelTo novel_to, const MeasureColumn& column,
                    std::optional<double> value, Index samples);

// Which phases of a record; empty: every one.
struct Selection {
  std::string phase, split;
};

// Throws Error(config) naming the phases or splits there are if none is left.
std::vector<PhaseKey> selected_phases(const RunRecord& record, const Selection& only);

struct TableOptions {
  std::vector<NovelTo> novel_to = {NovelTo::predictor};
  std::vector<std::string> measures = {};  // empty: every one there is
  Selection only = {};
};

// The phases of one evaluation of one split, batches together, in the order of `keys`.
std::vector<std::vector<PhaseKey>> by_increment(const std::vector<PhaseKey>& keys);

// Its batches joined, once for each reference.
std::vector<PhaseView> view_batches(const RunRecord& record, const std::vector<PhaseKey>& batches,
                                    const Truth& truth, const std::vector<NovelTo>& novel_to);

// The record's truth. Throws Error(state) if it has none.
const Truth& truth_of(const RunRecord& record);

// In the order of the record's phases, then one group over all increments for every pair of phase
// and split: summed counts or means, as each measure's spec says. Last come the measures of whole
// runs, by step and over all of them. One increment is held at a time.
// Throws Error(state) if the record has no truth, Error(config) for a measure that does not exist.
std::vector<MeasureRow> measure_run(const RunRecord& record, const TableOptions& options = {});

}  // namespace tyto

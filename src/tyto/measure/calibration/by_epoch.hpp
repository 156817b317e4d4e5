// SPDX-License-Identifier: Apache-2.0
// How far confidence was from accuracy after the epochs of a calibrator's training (Roitberg et al.
// 2020, figure 4a). From a record, so that whoever learned has seen none of the truths.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tyto/measure/phase_view.hpp"

namespace tyto {

struct EpochErrors {
  std::vector<Index> epoch;  // 0: before the first
  std::vector<double> ece;   // of ten bins; by epoch
  double native = 0;         // that of the classifier itself
  Index samples = 0;
};

// `right`: 1 where the answer of a row is right, 0 where it is wrong, -1 leaves the row out.
// Without epochs or rows all is empty.
EpochErrors errors_by_epoch(const ByEpoch& given, std::span<const std::int8_t> right);

// Of the samples of known classes.
EpochErrors errors_by_epoch(const PhaseView& view);

struct EpochRow {
  Index step = 0;
  std::string phase, split;
  EpochErrors errors;
};

// Of every phase of a record that was told confidence by epoch.
std::vector<EpochRow> epoch_rows(const RunRecord& record);

}  // namespace tyto

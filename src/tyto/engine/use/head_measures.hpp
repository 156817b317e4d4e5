// SPDX-License-Identifier: Apache-2.0
// How right a network's own class scores are, on samples as they are and under nuisances: the
// sources "logits" and "logits_<name>" of a dataset, without any learning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/data/dataset.hpp"
#include "tyto/measure/intervals/bootstrap.hpp"

namespace tyto {

struct HeadRow {
  std::string name;  // "": as they are; else the nuisance
  double accuracy = 0, mcc = 0;
  // Against "", on the same resamples of samples, or of groups where there are any.
  double accuracy_difference = 0, mcc_difference = 0;
  Interval accuracy_interval, mcc_interval;
};

struct HeadMeasures {
  std::vector<HeadRow> rows;
  Index samples = 0, units = 0;
  Index left_out = 0;  // samples without a label, or of a class the scores do not have
};

// A run of frames is judged by the mean of its scores. `split`: of this split alone; "": all.
// Throws Error(data) for a dataset without logits or without names of their columns.
HeadMeasures head_measures(const Dataset& dataset, const std::string& split,
                           const BootstrapOptions& bootstrap, Progress& progress);

}  // namespace tyto

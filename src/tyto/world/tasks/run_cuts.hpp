// SPDX-License-Identifier: Apache-2.0
// Samples cut out of others: some rows of a dataset, and of a run of frames a part.
#pragma once

#include <string>
#include <vector>

#include "tyto/data/dataset.hpp"

namespace tyto {

struct RunCut {
  Index row = 0;             // of the table
  Index first = 0, end = 0;  // frames within its run
  std::string id;            // of the new sample; "": as it was
};

// All of a sample.
RunCut whole_run(const IndexTable& table, Index row);

// A sample per cut, in this order, over a store that holds their frames alone; nothing is copied.
// Samples of one row each stay so.
Dataset cut_dataset(const Dataset& from, const std::vector<RunCut>& cuts);

// The columns segment_first and segment_end, which say in frames of the run where the action is; a
// row without them is all action. Empty if the data have no such columns. Throws Error(data) naming
// sample, rule and values.
std::vector<RunCut> segment_cuts(const Dataset& data);

}  // namespace tyto

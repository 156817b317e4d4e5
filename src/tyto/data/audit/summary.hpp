// SPDX-License-Identifier: Apache-2.0
// What a dataset holds and what looks wrong in it: what `tyto data show` tells.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/data/audit/finding.hpp"
#include "tyto/data/audit/scan.hpp"

namespace tyto {

struct ClassSummary {
  std::string name;
  Index samples = 0;
  std::map<std::string, Index> by_split;  // empty where the dataset has no splits
};

struct SourceSummary {
  std::string name;
  std::vector<Index> shape;          // of one row
  std::vector<std::string> columns;  // names, where known
  float low = 0, high = 0;           // of the finite values
  double mean = 0;
  Index bad_rows = 0;          // with NaN or an infinite value
  Index constant_columns = 0;  // one value in all rows
};

struct SampleSummary {
  std::string id, label, split, group;
  std::vector<float> values;  // the first few of the first source
};

struct DatasetSummary {
  std::string name, summary;
  std::map<std::string, std::string> about;
  Index samples = 0, store_rows = 0, unlabelled = 0, groups = 0;
  Index collections = 0;              // distinct values of the column `source`
  std::vector<ClassSummary> classes;  // by name
  std::map<std::string, Index> splits;
  std::vector<SourceSummary> sources;
  std::map<std::string, Index> annotations;  // distinct values of each free column
  std::vector<SampleSummary> head;
  std::vector<Finding> findings;  // problems first
};

// With the findings of the checks that need no more than the scan.
DatasetSummary summarise(const Dataset& dataset, const DatasetScan& scan, Index head_rows = 3);
DatasetSummary summarise(const Dataset& dataset, Progress& progress, Index head_rows = 3);

}  // namespace tyto

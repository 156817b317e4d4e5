// SPDX-License-Identifier: Apache-2.0
// Rows to cluster, and their classes where someone knows them, from whatever the user has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct ClusterInput {
  std::string features;                       // .npy, .csv (.gz), or a dataset by name or folder
  std::filesystem::path labels;               // a file of them, or
  std::string labels_column;                  // a column of that file, else of the features
  std::string id_column;                      // of a CSV that names the rows; "": numbers
  std::vector<std::string> ignore;            // columns of a CSV that are no features
  std::string source = "features";            // of a dataset
  std::vector<std::filesystem::path> places;  // of datasets
};

struct ClusterRows {
  Matrix rows;
  std::vector<std::string> id;       // of a column or a dataset; empty where rows are numbered
  std::vector<std::int32_t> labels;  // -1: unknown; empty where none were asked for
  std::size_t classes = 0;
};

// Throws Error(data) that names file, line and value of whatever is no finite number.
ClusterRows read_cluster_rows(const ClusterInput& input);

}  // namespace tyto

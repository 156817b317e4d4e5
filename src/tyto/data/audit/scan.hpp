// SPDX-License-Identifier: Apache-2.0
// One pass over all values of a dataset: ranges, bad values, and hashes by which equal rows and
// equal columns are found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/data/dataset.hpp"

namespace tyto {

struct ColumnScan {
  bool constant = true;  // one value in all rows
  Index bad = 0;         // values that are NaN or infinite
  Index first_bad = -1;  // row of the store
  std::uint64_t hash = 0;
};

struct SourceScan {
  std::string name;
  std::vector<Index> shape;
  std::vector<std::string> names;  // of the columns, where known
  std::vector<ColumnScan> columns;
  float low = 0, high = 0;  // of the finite values
  double mean = 0;
  Index bad_rows = 0, first_bad_row = -1;

  [[nodiscard]] Index width() const { return static_cast<Index>(columns.size()); }

  [[nodiscard]] std::string column_name(std::size_t column) const;
};

struct DatasetScan {
  std::vector<SourceScan> sources;
  // Per sample, over all its frames in the first source; -0 counts as 0. Of n samples two that
  // differ share a hash with probability n^2 / 2^65: one in four million for three million samples.
  std::vector<std::uint64_t> sample_hash;
};

// The first row of the store of each sample, and their number at the end.
std::vector<Index> first_rows(const IndexTable& table);

// The sample that a row of the store belongs to. O(n) where samples have frames.
Index sample_of_row(const IndexTable& table, Index row);

// Reads every value once, in blocks: a few MB, 16 bytes per sample and 32 per column.
DatasetScan scan_dataset(const Dataset& dataset, Progress& progress);

}  // namespace tyto

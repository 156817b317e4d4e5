// SPDX-License-Identifier: Apache-2.0
// Rows to be predicted, block by block: CSV from a file or a pipe, .npy, or a dataset.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tyto/core/error.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/sample/samples.hpp"

namespace tyto {

struct InputRows {
  Samples samples;                 // numbered on from first_id; each a group of its own
  std::vector<std::string> id;     // as given; else the number of the row, from 1
  std::vector<std::string> label;  // "" for none
  Index first = 0;                 // number of the first row, from 1
};

struct InputOptions {
  std::string id_column;             // of a CSV; "": the usual one if there is one, else numbers
  std::string label_column;          // "": none
  std::vector<std::string> ignore;   // columns that are no features
  std::vector<std::string> columns;  // names of the features, where the predictor knows them
  Index width = 0;                   // how many there must be; 0: any number but none
  std::uint32_t first_id = 0;
  bool wait = true;                 // for whole blocks; false: answer what has arrived
  std::string source = "features";  // that the predictor reads: of a dataset, or what a file is
  bool missing = false;             // cells that are empty, NA or NaN are NaN; else refused
  // Where there is one, it takes the names of ignored columns that are not there; else refused.
  std::shared_ptr<std::set<std::string>> absent = nullptr;
  // Of the table that was learned from: columns that are no features, which this one may have too,
  // and the one that names the samples where `id_column` names none.
  std::vector<std::string> others = {};
  std::string usual_id = {};
};

// There are columns the predictor did not learn from, or too few.
struct ColumnError : Error {
  using Error::Error;
};

// A header is told from a row of numbers. With a header and known names, features are found by name
// in whatever order; else all columns that are not id, label or ignored count, in their order. The
// columns of a dataset must be called as those that were learned, in their order.
struct FeatureInput : Interface {
  [[nodiscard]] virtual bool has_ids() const = 0;  // else rows are numbered
  // At most `most` rows; none at the end. Throws Error(data) naming file, line and column.
  [[nodiscard]] virtual InputRows next(Index most) = 0;
};

// Borrows the open file.
std::unique_ptr<FeatureInput> csv_input(int file, std::string name, InputOptions options);

// A .npy or CSV file (.csv.gz too), else a dataset by name, folder or descriptor.
std::unique_ptr<FeatureInput> open_input(const std::string& what, const Catalog& catalog,
                                         const InputOptions& options);

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
// Datasets of a scenario: blobs about the corners of a cube, or a table written out in the file.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/options.hpp"
#include "tyto/core/random.hpp"

namespace tyto::testing_support {

struct MadeTable {
  Index classes = 6, each = 30, columns = 3, groups = 0, seed = 1;
  double apart = 8, spread = 1;
  std::string csv, features = "x0..x2";

  void describe(OptionVisitor& v) {
    v.field("classes", classes, {1, 100}, "called c0, c1, ...");
    v.field("each", each, {1, 1000}, "rows of a class");
    v.field("columns", columns, {1, 20}, "x0, x1, ...");
    v.field("groups", groups, {0, 1000},
            "people, each with rows of every class; 0: no such column");
    v.field("apart", apart, {0, 1e6},
            "length of the cube's edges: 2^columns - 1 classes stand apart");
    v.field("spread", spread, {0, 1e6}, "standard deviation about a corner, in every column");
    v.field("seed", seed, {0, 1e9}, "of the deviations");
    v.field("csv", csv, {}, "instead: the table itself");
    v.field("features", features, {}, "which of its columns are features, as dataset.yaml says it");
  }
};

inline std::string made_csv(const MadeTable& made) {
  std::ostringstream out;
  out << "id,label" << (made.groups > 0 ? ",group" : "");
  for (Index j = 0; j < made.columns; ++j) {
    out << ",x" << j;
  }
  out << "\n";
  Rng rng(static_cast<std::uint64_t>(made.seed), "scenario");
  for (Index i = 0; i < made.classes * made.each; ++i) {
    const Index c = i % made.classes;  // of all classes in turn
    out << "s" << i << ",c" << c;
    if (made.groups > 0) {
      out << ",g" << i / made.classes % made.groups;
    }
    for (Index j = 0; j < made.columns; ++j) {
      const bool far = ((c + 1) >> j) % 2 == 1;
      out << "," << (far ? made.apart : 0.0) + made.spread * rng.normal();
    }
    out << "\n";
  }
  return out.str();
}

// A folder that a Catalog finds by its name.
inline void write_table(const std::filesystem::path& folder, const MadeTable& made) {
  std::filesystem::create_directories(folder);
  const bool listed = !made.csv.empty();
  write_file(folder / "index.csv", listed ? made.csv : made_csv(made));
  const std::string columns = listed              ? made.features
                              : made.columns == 1 ? "x0"
                                                  : "x0..x" + std::to_string(made.columns - 1);
  write_file(folder / "dataset.yaml",
             "index: index.csv\nfeatures:\n  - {source: features, columns: [" + columns + "]}\n");
}

}  // namespace tyto::testing_support

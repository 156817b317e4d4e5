// SPDX-License-Identifier: Apache-2.0
// Where the classes of a dataset lie: their means, with every feature scaled to deviation 1.
#pragma once

#include <string>
#include <vector>

#include "tyto/data/dataset.hpp"

namespace tyto {

struct ClassMap {
  std::vector<std::string> names;     // sorted; the place is the class
  std::vector<Index> of_row;          // class of each row of the table; -1: it has no label
  std::string source;                 // of the features: "features", or the first there is
  Eigen::VectorXd centre, deviation;  // of each feature; a constant one has deviation 0
  Dense<double> means;                // a row per class; in deviations from the centre

  [[nodiscard]] Index classes() const { return static_cast<Index>(names.size()); }

  [[nodiscard]] double distance(Index a, Index b) const {
    return (means.row(a) - means.row(b)).norm();
  }

  // At most `count` other classes, the nearest first; ties by name.
  [[nodiscard]] std::vector<Index> nearest(Index c, Index count) const;
};

// Over all labelled rows, frames counting as rows. Throws Error(data) for a class with values that
// are not finite, and where no row has a label.
ClassMap map_classes(const Dataset& dataset);

// The row of the store at which each sample begins; the last entry is the number of rows.
std::vector<Index> first_store_rows(const IndexTable& table);

}  // namespace tyto

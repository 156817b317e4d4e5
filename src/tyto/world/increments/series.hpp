// SPDX-License-Identifier: Apache-2.0
// Datasets that a world shows one after another, as one table over one store.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tyto/data/dataset.hpp"

namespace tyto {

struct Series {
  Dataset joined;                   // of several: annotation "dataset" names each row's origin
  std::vector<std::string> names;   // of the datasets
  std::vector<Index> first_row_of;  // dataset d has table rows [first_row_of[d], first_row_of[d+1])

  [[nodiscard]] Index datasets() const { return static_cast<Index>(names.size()); }
};

// `store` holds the stores' rows in this order; null: the datasets' own, joined. Throws Error(data)
// where rows and store do not match. A column that some datasets lack is filled with "" (frames:
// 1); times are kept only if all have them.
Series join_series(std::vector<Dataset> datasets,
                   std::shared_ptr<const FeatureStore> store = nullptr);

}  // namespace tyto

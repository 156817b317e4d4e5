// SPDX-License-Identifier: Apache-2.0
// Well separated Gaussian classes with known truth, for tests of whoever learns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tyto/core/random.hpp"
#include "tyto/predictor/predictor.hpp"

namespace tyto::testing_support {

struct Blobs {
  std::shared_ptr<DenseStore> store;  // sources: features; logits with the class names as columns
  std::vector<std::string> names;     // class of every row
  Samples samples;
};

inline std::string blob_name(Index c) {
  return "class " + std::string(1, static_cast<char>('a' + c));
}

// `per_class` samples of classes [first, last) in `width` dimensions, shuffled; ids from
// `first_id`.
inline Blobs make_blobs(Index first, Index last, Index per_class, std::uint64_t seed,
                        std::uint32_t first_id, Index width = 6, Index classes = 6) {
  Rng rng(seed, "blobs");
  const Index n = (last - first) * per_class;
  Matrix features(n, width);
  Matrix logits(n, classes);
  Blobs blobs;
  std::vector<Index> which = rng.permutation(n);
  for (Index i = 0; i < n; ++i) {
    const Index c = first + which[static_cast<std::size_t>(i)] / per_class;
    blobs.names.push_back(blob_name(c));
    for (Index j = 0; j < width; ++j) {
      const double centre = j == c % width ? 6.0 : j == (c + 1) % width ? 3.0 : 0.0;
      features(i, j) = static_cast<float>(centre + rng.normal());
    }
    for (Index k = 0; k < classes; ++k) {
      logits(i, k) = static_cast<float>((k == c ? 4.0 : 0.0) + 0.5 * rng.normal());
    }
  }
  std::vector<std::string> columns;
  for (Index k = 0; k < classes; ++k) {
    columns.push_back(blob_name(k));
  }
  std::vector<DenseStore::Source> sources;
  sources.push_back({"features", std::move(features), {}});
  sources.push_back({"logits", std::move(logits), std::move(columns)});
  blobs.store = std::make_shared<DenseStore>(std::move(sources));
  Samples::Table table;
  for (Index i = 0; i < n; ++i) {
    table.id.push_back(static_cast<SampleId>(first_id + static_cast<std::uint32_t>(i)));
    table.row.push_back(i);
  }
  blobs.samples = Samples(blobs.store, std::move(table));
  return blobs;
}

}  // namespace tyto::testing_support

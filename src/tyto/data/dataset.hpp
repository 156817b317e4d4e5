// SPDX-License-Identifier: Apache-2.0
// Samples with their truth: an index table and the feature store its rows point into.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tyto/sample/feature_store.hpp"

namespace tyto {

// A row per sample. Columns besides id and label may be absent, that is, empty vectors.
struct IndexTable {
  std::vector<std::string> id;      // unique
  std::vector<std::string> label;   // "" for an unlabelled sample
  std::vector<std::string> split;   // "train", "validate", "test" or "" (in no split)
  std::vector<std::string> source;  // where the sample comes from: a collection, a video
  std::vector<std::string> group;   // never on both sides of a split: subject, source video
  std::vector<double> time, start, end;
  std::vector<Index> frames;  // rows of the store per sample, consecutive; absent: one each
  std::map<std::string, std::vector<std::string>> annotations;  // free columns

  [[nodiscard]] Index size() const { return static_cast<Index>(id.size()); }
};

struct DatasetFiles {  // where a dataset was read from; empty for one made in memory
  std::filesystem::path folder;
  std::vector<std::string> names;  // descriptor, index, feature files, relative to the folder
  std::vector<Index> lines;        // of the index, at which each sample begins
};

// Features that are the pixels of a picture, row by row; of a colour picture all of red, then all
// of green, then all of blue.
struct PictureLayout {
  std::string source;
  Index width = 0, height = 0;
  // What is black and what is white; equal: the least and the greatest value of each picture.
  double low = 0, high = 0;
  Index channels = 1;  // 1: grey, 3: red, green, blue
};

struct Dataset {
  std::string name, summary;
  std::map<std::string, std::string> about;  // origin, licence, citation, ...
  IndexTable table;
  std::shared_ptr<const FeatureStore> store;
  DatasetFiles files;
  std::optional<PictureLayout> picture = {};
};

}  // namespace tyto

// Example:
//
//   Dataset made;
//   made.name = "made";
//   made.table.id = {"a", "b"};
//   made.table.label = {"walk", "run"};
//   made.store = std::make_shared<DenseStore>(Matrix::Random(2, 8));

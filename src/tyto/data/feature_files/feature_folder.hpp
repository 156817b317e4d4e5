// SPDX-License-Identifier: Apache-2.0
// Features as extractors leave them in a folder, by source:
//
//   x3d_k400.npy, x3d_k400_ids.txt         a file per release, .npy or HDF5, ids of its rows beside
//   timesformer/{batch}/{id}_feat.npy      a tree of one file per clip, .npy, .pt or .pth, however
//   timesformer/{batch}/{id}_logits.pt     deep; _logits makes a source of its own
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tyto/sample/stores/joined_store.hpp"

namespace tyto {

struct FeatureSource {
  std::string name;
  std::vector<std::string> ids;    // of the rows of all pieces, one after another
  std::vector<StorePiece> pieces;  // of one shape

  [[nodiscard]] std::shared_ptr<const FeatureStore> store() const;
};

struct FeatureFolderOptions {
  std::vector<std::string> releases;  // names that end the name of a source: k400 in x3d_k400.npy
  std::vector<std::string> sources;   // wanted; empty: all
  std::string dataset = "/features";  // in HDF5 files
};

// By name. Throws Error(data) naming a file without ids, an id that stands twice in a source and
// where, pieces of different widths, a source that is wanted and not there.
std::vector<FeatureSource> find_features(const std::filesystem::path& folder,
                                         const FeatureFolderOptions& options);

}  // namespace tyto

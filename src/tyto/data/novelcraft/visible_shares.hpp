// SPDX-License-Identifier: Apache-2.0
// targets.csv once more: how much of its novel block each frame shows, by rays through the map of
// its state.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/data/novelcraft/frame_files.hpp"

namespace tyto {

struct VisibleShare {
  std::string id;
  Index pixels = 0, size = 0;  // of size x size

  [[nodiscard]] double share() const {
    return static_cast<double>(pixels) / static_cast<double>(size * size);
  }
};

// Of every frame with a state and a picture, in classes that have a novel block; as `files` orders
// them. `size` 0: that of the pictures, each by its own header. A state without a map shows
// nothing. Throws Error(data) naming the file of a state that tells no scene or of a picture that
// is none.
std::vector<VisibleShare> visible_shares(const std::filesystem::path& folder, Index size,
                                         Progress& progress);

}  // namespace tyto

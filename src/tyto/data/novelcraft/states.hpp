// SPDX-License-Identifier: Apache-2.0
// The states of NovelCraft's episodes as a dataset that models of sequences learn from.
#pragma once

#include <filesystem>

#include "tyto/data/novelcraft/selection.hpp"

namespace tyto {

// The source `state`: a row per frame, as state_features.hpp has them. A sample is a frame with up
// to `history` frames before it, its own the last; the first frames of an episode have fewer. Items
// and words are those of the training episodes labelled normal. `about` tells how many columns are
// numbers, how wide the one-hot groups after them are, and what was unknown.
Dataset read_novelcraft_states(const std::filesystem::path& folder, NovelCraftOptions options);

}  // namespace tyto

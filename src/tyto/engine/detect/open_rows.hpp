// SPDX-License-Identifier: Apache-2.0
// Rows of whatever a user has: a table, a dataset, or a folder of pictures, which become features
// on the way.
#pragma once

#include "tyto/core/progress.hpp"
#include "tyto/engine/extract/open_backbone.hpp"
#include "tyto/engine/use/feature_input.hpp"

namespace tyto {

struct PictureFeatures {
  BackboneChoice backbone;  // none: the pixels themselves,
  Index pixels = 16;        // so many by so many
};

// A folder that is no dataset.
bool holds_pictures(const std::string& what);

// As open_input. Of pictures features are taken first, into a folder that goes with the input; the
// ids are their paths. Throws Error(data) where there are none, or naming one that cannot be read.
std::unique_ptr<FeatureInput> open_rows(const std::string& what, const Catalog& catalog,
                                        const InputOptions& options,
                                        const PictureFeatures& features, Progress& progress);

}  // namespace tyto

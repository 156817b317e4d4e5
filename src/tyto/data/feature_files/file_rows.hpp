// SPDX-License-Identifier: Apache-2.0
// A store whose rows lie in a file each: .npy, or a tensor that PyTorch saved (.pt, .pth), read
// without running anything in it.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "tyto/sample/feature_store.hpp"

namespace tyto {

bool is_row_file(const std::filesystem::path& path);  // by its suffix

// The first file tells the shape, extents of 1 left out; the others are read when they are asked
// for. Throws Error(data) naming a file that is cut off, and one of another shape beside the first.
std::shared_ptr<const FeatureStore> open_file_rows(std::vector<std::filesystem::path> files,
                                                   std::string_view source);

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
// Folders of numbered pictures, read as videos.
#pragma once

#include "tyto/video/module.hpp"

namespace tyto {

// The PNG and JPEG files of the folder in natural order; everything else in it is left aside. All
// must be of one size, which is found out when they are read. Their rate is not known: fps is 0.
std::unique_ptr<VideoReader> open_picture_folder(const std::filesystem::path& folder);

}  // namespace tyto

// SPDX-License-Identifier: Apache-2.0
// Pictures in files and as the bytes of files.
#pragma once

#include <filesystem>
#include <string>

#include "tyto/video/picture.hpp"

namespace tyto {

// PNG or JPEG of at most 2^27 pixels, as it is shown: a JPEG turned as its EXIF says, grey values
// and palettes as R G B, 16 bits rounded to 8, transparency over white. A picture that is cut off
// or damaged is refused.
Picture load_picture(const std::filesystem::path& path);

// Quality from 1 to 100; else Error(config).
std::string picture_as_jpeg(const Picture& picture, int quality);
std::string picture_as_png(const Picture& picture);

}  // namespace tyto

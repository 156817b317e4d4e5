// SPDX-License-Identifier: Apache-2.0
// The outside of a PNG or JPEG file, looked at before it is decoded: decoders allocate what the
// header claims, and fill what is missing at the end with grey.
#pragma once

#include <string>
#include <string_view>

#include "tyto/core/matrix.hpp"

namespace tyto {

enum class PictureKind { png, jpeg };

struct PictureOutline {
  PictureKind kind = PictureKind::png;
  Index width = 0, height = 0;
};

// Throws Error(data) naming `file` and why it is not a whole picture of at most 2^27 pixels.
PictureOutline picture_outline(std::string_view bytes, const std::string& file);

}  // namespace tyto

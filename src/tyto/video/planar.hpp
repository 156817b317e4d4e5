// SPDX-License-Identifier: Apache-2.0
// Pictures as rows of a store: all of red, then all of green, then all of blue; values 0 to 255.
#pragma once

#include "tyto/video/picture.hpp"

namespace tyto {

// Values are rounded and clipped to bytes.
Picture picture_of_planes(const float* values, Index width, Index height);

// Into 3 x width x height values.
void write_planes(const Picture& picture, float* values);

}  // namespace tyto
